# Never waits for a stall to open.
n = int(input())
stalls = [list(map(int, input().split())) for _ in range(n)]
walk = [list(map(int, input().split())) for _ in range(n)]
done = {(1 << i, i): s[3] + s[2] for i, s in enumerate(stalls) if s[0] <= s[3] <= s[1]}
best = (0, 0)
for mask in range(1, 1 << n):
    for i in range(n):
        if (mask, i) not in done:
            continue
        minute = done[mask, i]
        best = max(best, (bin(mask).count("1"), -minute))
        for j in range(n):
            arrival = minute + walk[i][j]
            if mask >> j & 1 or not stalls[j][0] <= arrival <= stalls[j][1]:
                continue
            key = (mask | 1 << j, j)
            done[key] = min(done.get(key, 10**9), arrival + stalls[j][2])
print(best[0], -best[1])
