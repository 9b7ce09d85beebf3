# Walks over the belts in all directions.
import sys
from collections import deque

h, w, *hall = sys.stdin.read().split()
h, w = int(h), int(w)
start = next((r, row.index("S")) for r, row in enumerate(hall) if "S" in row)
way = {start: ""}
queue = deque([start])
answer = "STUCK"
while queue:
    r, c = queue.popleft()
    if hall[r][c] == "E":
        answer = way[r, c]
        break
    for step, dr, dc in [("U", -1, 0), ("D", 1, 0), ("L", 0, -1), ("R", 0, 1)]:
        to = r + dr, c + dc
        if 0 <= to[0] < h and 0 <= to[1] < w and hall[to[0]][to[1]] != "#" and to not in way:
            way[to] = way[r, c] + step
            queue.append(to)
print(answer)
