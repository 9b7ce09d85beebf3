import sys


def solve(text):
    h, w, *plots = text.split()
    h, w = int(h), int(w)

    def seats(r, c):
        for y, x in [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]:
            if 0 <= y < h and 0 <= x < w and plots[y][x] != "#":
                if abs(int(plots[r][c]) - int(plots[y][x])) <= 1:
                    yield y * w + x

    # The plots are coloured like a chessboard; a plank joins a black and a white one.
    edges = {
        r * w + c: list(seats(r, c))
        for r in range(h)
        for c in range(w)
        if (r + c) % 2 == 0 and plots[r][c] != "#"
    }
    white_of = dict.fromkeys(edges)
    black_of = {}
    while True:
        # Breadth-first layers from the free black plots.
        depth = {b: 0 for b, white in white_of.items() if white is None}
        free = list(depth)
        layer, found = free, False
        while layer and not found:
            following = []
            for b in layer:
                for white in edges[b]:
                    other = black_of.get(white)
                    if other is None:
                        found = True
                    elif other not in depth:
                        depth[other] = depth[b] + 1
                        following.append(other)
            layer = following
        if not found:
            break
        # Depth-first along the layers; todo holds the untried edges of every plot.
        todo = {b: iter(edges[b]) for b in depth}
        for root in free:
            path = [root]
            taken = []
            while path:
                for white in todo[path[-1]]:
                    other = black_of.get(white)
                    if other is None:
                        taken.append(white)
                        for b, partner in zip(path, taken):
                            white_of[b], black_of[partner] = partner, b
                        path = []
                        break
                    if depth.get(other) == depth[path[-1]] + 1:
                        path.append(other)
                        taken.append(white)
                        break
                else:
                    path.pop()
                    if taken:
                        taken.pop()
    planks = [(b, white) for b, white in white_of.items() if white is not None]
    lines = [f"{b // w + 1} {b % w + 1} {x // w + 1} {x % w + 1}" for b, x in planks]
    return "\n".join([str(len(planks)), *lines])


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
