# Blocks; in a block that is only asked in part, forgets what was added to the whole block.
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
    found = []
    for i in range(left // width, (right - 1) // width + 1):
        begin, end = max(0, left - i * width), min(len(blocks[i]), right - i * width)
        whole = end - begin == len(blocks[i])
        if kind == "S" and whole:
            added[i] += int(v[0])
        elif kind == "S":
            for j in range(begin, end):
                blocks[i][j] += int(v[0])
            low[i] = (min(blocks[i]), blocks[i].count(min(blocks[i])))
        elif whole:
            found.append((low[i][0] + added[i], low[i][1]))
        else:
            part = blocks[i][begin:end]
            found.append((min(part), part.count(min(part))))
    if kind == "R":
        level = min(found)[0]
        print(level, sum(count for other, count in found if other == level))
