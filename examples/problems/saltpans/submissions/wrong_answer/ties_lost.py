# Blocks; when two blocks have the same lowest level, only counts the pans of the first.
import sys

n, q = map(int, sys.stdin.readline().split())
levels = list(map(int, sys.stdin.readline().split()))
width = 180
blocks = [levels[i : i + width] for i in range(0, n, width)]
low = [(min(block), block.count(min(block))) for block in blocks]
added = [0] * len(blocks)
for _ in range(q):
    kind, left, right, *v = sys.stdin.readline().split()
    left, right = int(left) - 1, int(right)
    best = (10**9, 0)
    for i in range(left // width, (right - 1) // width + 1):
        begin, end = max(0, left - i * width), min(len(blocks[i]), right - i * width)
        if kind == "S":
            if end - begin == len(blocks[i]):
                added[i] += int(v[0])
            else:
                for j in range(begin, end):
                    blocks[i][j] += int(v[0])
                low[i] = (min(blocks[i]), blocks[i].count(min(blocks[i])))
            continue
        if end - begin == len(blocks[i]):
            lowest, count = low[i]
        else:
            part = blocks[i][begin:end]
            lowest, count = min(part), part.count(min(part))
        if lowest + added[i] < best[0]:
            best = (lowest + added[i], count)
    if kind == "R":
        print(*best)
