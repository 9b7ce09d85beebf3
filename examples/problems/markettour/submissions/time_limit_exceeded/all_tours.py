n = int(input())
stalls = [list(map(int, input().split())) for _ in range(n)]
walk = [list(map(int, input().split())) for _ in range(n)]
best = (0, 0)


def go_on(place, minute, bought):
    global best
    best = max(best, (len(bought), -minute))
    for i in range(n):
        if i in bought:
            continue
        opens, closes, takes, gate = stalls[i]
        arrival = minute + (gate if place is None else walk[place][i])
        if arrival <= closes:
            go_on(i, max(arrival, opens) + takes, bought | {i})


go_on(None, 0, frozenset())
print(best[0], -best[1])
