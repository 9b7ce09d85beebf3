# Tries all ways which visit no place twice in the same gear.
import sys

sys.setrecursionlimit(10**5)
data = iter(sys.stdin.read().split())
n, m, c, b = (int(next(data)) for _ in range(4))
huts = {int(next(data)) for _ in range(int(next(data)))}
trails = [[] for _ in range(n + 1)]
for _ in range(m):
    x, y, t, kind = int(next(data)), int(next(data)), int(next(data)), next(data)
    trails[x].append((y, t, kind))
    trails[y].append((x, t, kind))
best = 10**18
on_the_way = set()


def walk(place, gear, bars, time):
    global best
    if time >= best or (place, gear) in on_the_way:
        return
    if place == n:
        best = time
        return
    on_the_way.add((place, gear))
    for to, t, kind in trails[place]:
        if kind == gear:
            walk(to, gear, bars, time + t)
            if bars:
                walk(to, gear, bars - 1, time + (t + 1) // 2)
    if place in huts:
        walk(place, "snow" if gear == "rock" else "rock", bars, time + c)
    on_the_way.discard((place, gear))


walk(1, "rock", b, 0)
print(best if best < 10**18 else -1)
