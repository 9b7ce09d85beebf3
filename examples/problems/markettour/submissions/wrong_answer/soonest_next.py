# Always goes to the stall at which it is finished first.
n = int(input())
stalls = [list(map(int, input().split())) for _ in range(n)]
walk = [list(map(int, input().split())) for _ in range(n)]
left = set(range(n))
minute = number = 0
place = None
while True:
    options = []
    for i in left:
        opens, closes, takes, gate = stalls[i]
        arrival = minute + (gate if place is None else walk[place][i])
        if arrival <= closes:
            options.append((max(arrival, opens) + takes, i))
    if not options:
        break
    minute, place = min(options)
    left.remove(place)
    number += 1
print(number, minute)
