# Quickhull: the point farthest from a line is a corner; goes on at both sides of it.
import math
import sys


def solve(text):
    n, r, *rest = map(int, text.split())
    points = set(zip(rest[0::2], rest[1::2]))
    a, b = min(points), max(points)
    length = 0.0

    def outside(a, b, points):
        """The points strictly to the left of the line from a to b, with their distances."""
        dx, dy = b[0] - a[0], b[1] - a[1]
        found = [(dx * (p[1] - a[1]) - dy * (p[0] - a[0]), p) for p in points]
        return [(area, p) for area, p in found if area > 0]

    todo = [(a, b, outside(a, b, points)), (b, a, outside(b, a, points))]
    while todo:
        a, b, left = todo.pop()
        if not left:
            length += math.hypot(a[0] - b[0], a[1] - b[1])
            continue
        corner = max(left)[1]
        others = [p for _, p in left]
        todo.append((a, corner, outside(a, corner, others)))
        todo.append((corner, b, outside(corner, b, others)))
    return repr(length + 2 * math.pi * r)


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
