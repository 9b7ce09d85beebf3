import heapq

n, p = map(int, input().split())
kilns = [tuple(map(int, input().split())) for _ in range(n)]
events = [(kilns[i][0], i, 1) for i in range(n)]
heapq.heapify(events)
for _ in range(p):
    minute, i, pots = heapq.heappop(events)
    t, k, c = kilns[i]
    pause = c if pots % k == 0 else 0
    heapq.heappush(events, (minute + t + pause, i, pots + 1))
print(minute)
