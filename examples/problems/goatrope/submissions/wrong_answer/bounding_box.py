# Lays the rope around the smallest upright rectangle.
import math

n, r = map(int, input().split())
points = [tuple(map(int, input().split())) for _ in range(n)]
xs, ys = zip(*points)
print(2 * (max(xs) - min(xs) + max(ys) - min(ys)) + 2 * math.pi * r)
