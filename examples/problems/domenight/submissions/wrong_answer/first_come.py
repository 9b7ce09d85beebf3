# Takes the observations in the order of their starts.
import heapq

n, k, g = map(int, input().split())
observations = sorted(tuple(map(int, input().split())) for _ in range(n))
free_from = [0] * k
made = 0
for start, end in observations:
    if free_from[0] <= start:
        heapq.heapreplace(free_from, end + g)
        made += 1
print(made)
