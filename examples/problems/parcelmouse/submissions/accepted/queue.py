import sys
from collections import deque

MOVES = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
EXITS = {"^": "U", "v": "D", "<": "L", ">": "R"}


def solve(text):
    h, w, *hall = text.split()
    h, w = int(h), int(w)
    start = next((r, row.index("S")) for r, row in enumerate(hall) if "S" in row)
    came_by = {start: ""}
    queue = deque([start])
    while queue:
        r, c = queue.popleft()
        if hall[r][c] == "E":
            steps = []
            while (r, c) != start:
                step = came_by[r, c]
                steps.append(step)
                r, c = r - MOVES[step][0], c - MOVES[step][1]
            return "".join(reversed(steps))
        for step in EXITS.get(hall[r][c], "UDLR"):
            to = r + MOVES[step][0], c + MOVES[step][1]
            if 0 <= to[0] < h and 0 <= to[1] < w and hall[to[0]][to[1]] != "#":
                if to not in came_by:
                    came_by[to] = step
                    queue.append(to)
    return "STUCK"


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
