# Ignores the heights.
h, w = map(int, input().split())
plots = [input() for _ in range(h)]
mate = {}


def augment(plot, seen):
    r, c = plot
    for y, x in [(r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c)]:
        if not (0 <= y < h and 0 <= x < w) or plots[y][x] == "#" or (y, x) in seen:
            continue
        seen.add((y, x))
        if (y, x) not in mate or augment(mate[y, x], seen):
            mate[y, x] = plot
            return True
    return False


for r in range(h):
    for c in range(w):
        if (r + c) % 2 == 0 and plots[r][c] != "#":
            augment((r, c), set())
print(len(mate))
for (a, b), (c, d) in mate.items():
    print(a + 1, b + 1, c + 1, d + 1)
