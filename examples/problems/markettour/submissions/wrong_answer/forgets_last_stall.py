# For a set of stalls, only keeps the tour which is finished first, whichever stall is the last.
n = int(input())
stalls = [list(map(int, input().split())) for _ in range(n)]
walk = [list(map(int, input().split())) for _ in range(n)]
done = [None] * (1 << n)
done[0] = (0, -1)
best = (0, 0)
for mask in range(1 << n):
    if done[mask] is None:
        continue
    minute, i = done[mask]
    best = max(best, (bin(mask).count("1"), -minute))
    for j in range(n):
        opens, closes, takes, gate = stalls[j]
        arrival = minute + (gate if i < 0 else walk[i][j])
        if mask >> j & 1 or arrival > closes:
            continue
        tour = (max(arrival, opens) + takes, j)
        if done[mask | 1 << j] is None or tour < done[mask | 1 << j]:
            done[mask | 1 << j] = tour
print(best[0], -best[1])
