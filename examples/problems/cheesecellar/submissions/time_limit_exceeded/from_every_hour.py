n, d = map(int, input().split())
readings = list(map(int, input().split()))
best = best_start = 0
for start in range(n):
    low = high = readings[start]
    end = start
    while end < n:
        low = min(low, readings[end])
        high = max(high, readings[end])
        if high - low > d:
            break
        end += 1
    if end - start > best:
        best, best_start = end - start, start
print(best, best_start + 1)
