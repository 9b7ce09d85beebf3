# The rope is as long as the convex hull of the centres and one circle.
import math
import sys


def hull(points):
    """The corners of the convex hull, in order."""
    points = sorted(set(points))
    if len(points) < 3:
        return points
    corners = []
    for ordered in (points, points[::-1]):
        chain = []
        for x, y in ordered:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                chain.pop()
            chain.append((x, y))
        corners += chain[:-1]
    return corners


def solve(text):
    n, r, *rest = map(int, text.split())
    corners = hull(list(zip(rest[0::2], rest[1::2])))
    length = sum(math.dist(a, b) for a, b in zip(corners, corners[1:] + corners[:1]))
    return f"{length + 2 * math.pi * r:.9f}"


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
