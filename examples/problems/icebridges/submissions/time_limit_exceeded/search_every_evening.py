import sys

n, m, q, *rest = map(int, sys.stdin.read().split())
bridges = list(zip(rest[0 : 2 * m : 2], rest[1 : 2 * m : 2]))
neighbours = [[] for _ in range(n + 1)]
for a, b in bridges:
    neighbours[a].append(b)
    neighbours[b].append(a)
for i in rest[2 * m :]:
    a, b = bridges[i - 1]
    neighbours[a].remove(b)
    neighbours[b].remove(a)
    seen = [False] * (n + 1)
    largest = 0
    for first in range(1, n + 1):
        if seen[first]:
            continue
        seen[first] = True
        village = [first]
        for island in village:
            for other in neighbours[island]:
                if not seen[other]:
                    seen[other] = True
                    village.append(other)
        largest = max(largest, len(village))
    print(largest)
