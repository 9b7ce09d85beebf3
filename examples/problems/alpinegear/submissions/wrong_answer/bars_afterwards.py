# Finds the quickest way without bars, then eats them on its longest trails.
import heapq
import sys

data = iter(sys.stdin.read().split())
n, m, c, b = (int(next(data)) for _ in range(4))
huts = {int(next(data)) for _ in range(int(next(data)))}
trails = [[] for _ in range(n + 1)]
for _ in range(m):
    x, y, t, kind = int(next(data)), int(next(data)), int(next(data)), next(data)
    trails[x].append((y, t, kind))
    trails[y].append((x, t, kind))
came = {}
heap = [(0, 1, "rock", None, 0)]
answer = -1
while heap:
    time, place, gear, before, walked = heapq.heappop(heap)
    if (place, gear) in came:
        continue
    came[place, gear] = (before, walked)
    if place == n:
        walks = []
        state = (place, gear)
        while state:
            state, walked = came[state]
            walks.append(walked)
        walks.sort(reverse=True)
        answer = time - sum(walk // 2 for walk in walks[:b])
        break
    for to, t, kind in trails[place]:
        if kind == gear:
            heapq.heappush(heap, (time + t, to, gear, (place, gear), t))
    if place in huts:
        other = "snow" if gear == "rock" else "rock"
        heapq.heappush(heap, (time + c, place, other, (place, gear), 0))
print(answer)
