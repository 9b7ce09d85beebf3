# Blocks of about sqrt(n) pans, each with its lowest level, how often, and what was added to all.
import sys
from math import isqrt


def solve(text):
    lines = text.split("\n")
    levels = list(map(int, lines[1].split()))
    n = len(levels)
    width = isqrt(n) + 1
    blocks = [levels[i : i + width] for i in range(0, n, width)]
    low = [min(block) for block in blocks]
    count = [block.count(min(block)) for block in blocks]
    added = [0] * len(blocks)

    def parts(left, right):
        """The whole blocks of a stretch, and the (block, begin, end) of the others."""
        first, last = left // width, right // width
        begin, end = left % width, right % width
        if first == last:
            return range(0), [(first, begin, end)]
        broken = [(first, begin, width)]
        if end:
            broken.append((last, 0, end))
        return range(first + 1, last), broken

    answers = []
    for line in lines[2:]:
        entry = line.split()
        if not entry:
            continue
        whole, broken = parts(int(entry[1]) - 1, int(entry[2]))
        if entry[0] == "S":
            v = int(entry[3])
            for i in whole:
                added[i] += v
                low[i] += v
            for i, begin, end in broken:
                blocks[i][begin:end] = [level + v for level in blocks[i][begin:end]]
                lowest = min(blocks[i])
                low[i] = lowest + added[i]
                count[i] = blocks[i].count(lowest)
        else:
            found = [(low[i], count[i]) for i in whole]
            for i, begin, end in broken:
                part = blocks[i][begin:end]
                lowest = min(part)
                found.append((lowest + added[i], part.count(lowest)))
            level = min(found)[0]
            answers.append(f"{level} {sum(pans for other, pans in found if other == level)}")
    return "\n".join(answers)


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
