# Lets every dome turn before its first observation too.
from bisect import bisect_right, insort

n, k, g = map(int, input().split())
observations = [tuple(map(int, input().split())) for _ in range(n)]
observations.sort(key=lambda o: o[1])
ends = [0] * k
made = 0
for start, end in observations:
    place = bisect_right(ends, start - g)
    if place > 0:
        ends.pop(place - 1)
        insort(ends, end)
        made += 1
print(made)
