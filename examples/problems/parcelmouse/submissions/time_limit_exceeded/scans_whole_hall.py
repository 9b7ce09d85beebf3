# Looks at all squares of the hall anew for every step.
import sys

MOVES = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
EXITS = {"^": "U", "v": "D", "<": "L", ">": "R"}
h, w, *hall = sys.stdin.read().split()
h, w = int(h), int(w)
reached = [[None] * w for _ in range(h)]
came_by = [[""] * w for _ in range(h)]
for r in range(h):
    for c in range(w):
        if hall[r][c] == "S":
            reached[r][c] = 0
        if hall[r][c] == "E":
            goal = r, c
steps = 0
changed = True
while changed and reached[goal[0]][goal[1]] is None:
    changed = False
    for r in range(h):
        for c in range(w):
            if reached[r][c] != steps:
                continue
            for step in EXITS.get(hall[r][c], "UDLR"):
                y, x = r + MOVES[step][0], c + MOVES[step][1]
                if 0 <= y < h and 0 <= x < w and hall[y][x] != "#" and reached[y][x] is None:
                    reached[y][x] = steps + 1
                    came_by[y][x] = step
                    changed = True
    steps += 1
if reached[goal[0]][goal[1]] is None:
    print("STUCK")
else:
    r, c = goal
    way = ""
    while hall[r][c] != "S":
        step = came_by[r][c]
        way = step + way
        r, c = r - MOVES[step][0], c - MOVES[step][1]
    print(way)
