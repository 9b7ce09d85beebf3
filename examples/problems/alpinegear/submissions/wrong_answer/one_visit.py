# Visits every place only once, with the gear and the bars of the first arrival.
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
seen = set()
heap = [(0, 1, "rock", b)]
answer = -1
while heap:
    time, place, gear, bars = heapq.heappop(heap)
    if place in seen:
        continue
    seen.add(place)
    if place == n:
        answer = time
        break
    for to, t, kind in trails[place]:
        if kind != gear and place not in huts:
            continue
        start = time + (c if kind != gear else 0)
        heapq.heappush(heap, (start + t, to, kind, bars))
        if bars:
            heapq.heappush(heap, (start + (t + 1) // 2, to, kind, bars - 1))
print(answer)
