# In the order of the ends, but takes the dome that has been free for the longest time.
import heapq

n, k, g = map(int, input().split())
observations = [tuple(map(int, input().split())) for _ in range(n)]
observations.sort(key=lambda o: o[1])
free_from = [0] * k
made = 0
for start, end in observations:
    if free_from[0] <= start:
        heapq.heapreplace(free_from, end + g)
        made += 1
print(made)
