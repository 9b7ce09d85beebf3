# Always serves a plot with the fewest free neighbours; often best, but not always.
h, w = map(int, input().split())
plots = [input() for _ in range(h)]
height = {(r, c): int(plots[r][c]) for r in range(h) for c in range(w) if plots[r][c] != "#"}
near = {}
for r, c in height:
    around = [(r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c)]
    near[r, c] = {p for p in around if p in height and abs(height[p] - height[r, c]) <= 1}
planks = []
while near:
    plot = min(near, key=lambda p: len(near[p]))
    gone = [plot]
    if near[plot]:
        other = min(near[plot], key=lambda p: len(near[p]))
        planks.append((plot, other))
        gone.append(other)
    for p in gone:
        for neighbour in near.pop(p):
            if neighbour in near:
                near[neighbour].discard(p)
print(len(planks))
for (a, b), (c, d) in planks:
    print(a + 1, b + 1, c + 1, d + 1)
