# For every pair of posts, counts how many posts are on each side of the line.
import math

n, r = map(int, input().split())
points = sorted({tuple(map(int, input().split())) for _ in range(n)})
length = 0.0
for ax, ay in points:
    for bx, by in points:
        if (ax, ay) == (bx, by):
            continue
        right = 0
        for x, y in points:
            area = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
            if area < 0 or (area == 0 and (x - ax) * (bx - x) + (y - ay) * (by - y) < 0):
                right += 1
        if right == 0:
            length += math.dist((ax, ay), (bx, by))
print(length + 2 * math.pi * r)
