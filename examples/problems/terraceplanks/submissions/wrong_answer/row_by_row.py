# Lays a plank wherever one fits, row by row.
h, w = map(int, input().split())
plots = [input() for _ in range(h)]
used = set()
planks = []
for r in range(h):
    for c in range(w):
        for y, x in [(r, c + 1), (r + 1, c)]:
            if y == h or x == w or {(r, c), (y, x)} & used or "#" in plots[r][c] + plots[y][x]:
                continue
            if abs(int(plots[r][c]) - int(plots[y][x])) <= 1:
                used |= {(r, c), (y, x)}
                planks.append((r + 1, c + 1, y + 1, x + 1))
print(len(planks))
for plank in planks:
    print(*plank)
