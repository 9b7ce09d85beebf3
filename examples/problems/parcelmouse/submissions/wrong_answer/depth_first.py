# Finds a way with a stack, which need not be a shortest one.
import sys

MOVES = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
EXITS = {"^": "U", "v": "D", "<": "L", ">": "R"}
h, w, *hall = sys.stdin.read().split()
h, w = int(h), int(w)
start = next((r, row.index("S")) for r, row in enumerate(hall) if "S" in row)
came_by = {start: ""}
stack = [start]
place = None
while stack:
    r, c = stack.pop()
    if hall[r][c] == "E":
        place = (r, c)
        break
    for step in EXITS.get(hall[r][c], "UDLR"):
        to = r + MOVES[step][0], c + MOVES[step][1]
        if 0 <= to[0] < h and 0 <= to[1] < w and hall[to[0]][to[1]] != "#":
            if to not in came_by:
                came_by[to] = step
                stack.append(to)
if place is None:
    print("STUCK")
else:
    steps = []
    while place != start:
        step = came_by[place]
        steps.append(step)
        place = (place[0] - MOVES[step][0], place[1] - MOVES[step][1])
    print("".join(reversed(steps)))
