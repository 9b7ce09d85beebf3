# Joins all posts in the order of their angles around the middle.
import math

n, r = map(int, input().split())
points = [tuple(map(int, input().split())) for _ in range(n)]
cx, cy = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
points.sort(key=lambda p: math.atan2(p[1] - cy, p[0] - cx))
length = sum(math.dist(a, b) for a, b in zip(points, points[1:] + points[:1]))
print(length + 2 * math.pi * r)
