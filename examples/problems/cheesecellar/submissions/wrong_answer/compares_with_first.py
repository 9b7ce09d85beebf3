# Only compares the readings with the first one of the run.
n, d = map(int, input().split())
readings = list(map(int, input().split()))
best = best_start = start = 0
for hour in range(n):
    while abs(readings[hour] - readings[start]) > d:
        start += 1
    if hour - start + 1 > best:
        best, best_start = hour - start + 1, start
print(best, best_start + 1)
