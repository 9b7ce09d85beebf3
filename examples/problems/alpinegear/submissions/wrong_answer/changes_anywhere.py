# Changes the gear in every place, hut or not.
import heapq
import sys

data = iter(sys.stdin.read().split())
n, m, c, b = (int(next(data)) for _ in range(4))
huts = [int(next(data)) for _ in range(int(next(data)))]
trails = [[] for _ in range(n + 1)]
for _ in range(m):
    x, y, t, kind = int(next(data)), int(next(data)), int(next(data)), next(data)
    trails[x].append((y, t, kind))
    trails[y].append((x, t, kind))
best = {}
heap = [(0, 1, "rock", b)]
answer = -1
while heap:
    time, place, gear, bars = heapq.heappop(heap)
    if (place, gear, bars) in best:
        continue
    best[place, gear, bars] = time
    if place == n:
        answer = time
        break
    for to, t, kind in trails[place]:
        extra = c if kind != gear else 0
        heapq.heappush(heap, (time + extra + t, to, kind, bars))
        if bars:
            heapq.heappush(heap, (time + extra + (t + 1) // 2, to, kind, bars - 1))
print(answer)
