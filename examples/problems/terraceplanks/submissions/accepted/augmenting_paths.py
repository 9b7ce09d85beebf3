# Begins with planks laid greedily, then looks for augmenting paths one after the other.
import sys


def solve(text):
    h, w, *plots = text.split()
    h, w = int(h), int(w)
    height = {(r, c): int(plots[r][c]) for r in range(h) for c in range(w) if plots[r][c] != "#"}
    mate = {}

    def near(plot):
        r, c = plot
        around = [(r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c)]
        return [p for p in around if p in height and abs(height[p] - height[plot]) <= 1]

    for plot in height:
        for other in near(plot):
            if plot not in mate and other not in mate:
                mate[plot], mate[other] = other, plot
    for start in height:
        if start in mate or sum(start) % 2:
            continue
        came_from = {}
        queue = [start]
        for plot in queue:
            for other in near(plot):
                if other in came_from:
                    continue
                came_from[other] = plot
                if other in mate:
                    queue.append(mate[other])
                    continue
                while other is not None:
                    plot = came_from[other]
                    following = mate.get(plot)
                    mate[plot], mate[other] = other, plot
                    other = following
                break
            else:
                continue
            break
    planks = [(a, b) for a, b in mate.items() if a < b]
    lines = [f"{a[0] + 1} {a[1] + 1} {b[0] + 1} {b[1] + 1}" for a, b in planks]
    return "\n".join([str(len(planks)), *lines])


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
