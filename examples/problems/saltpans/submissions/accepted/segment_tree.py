# A node's (low, count) includes what was added to the whole node, but not to nodes above it.
import sys


def solve(text):
    lines = text.split("\n")
    n = int(lines[0].split()[0])
    size = 1
    while size < n:
        size *= 2
    low = [10**9] * (2 * size)
    count = [1] * (2 * size)
    added = [0] * (2 * size)
    low[size : size + n] = map(int, lines[1].split())

    def update(node):
        left, right = 2 * node, 2 * node + 1
        if low[left] < low[right]:
            low[node], count[node] = low[left] + added[node], count[left]
        elif low[left] > low[right]:
            low[node], count[node] = low[right] + added[node], count[right]
        else:
            low[node] = low[left] + added[node]
            count[node] = count[left] + count[right]

    for node in range(size - 1, 0, -1):
        update(node)

    def add(node, begin, end, left, right, v):
        if left <= begin and end <= right:
            low[node] += v
            added[node] += v
            return
        middle = (begin + end) // 2
        if left < middle:
            add(2 * node, begin, middle, left, right, v)
        if right > middle:
            add(2 * node + 1, middle, end, left, right, v)
        update(node)

    def query(node, begin, end, left, right):
        if left <= begin and end <= right:
            return low[node], count[node]
        middle = (begin + end) // 2
        if right <= middle:
            level, pans = query(2 * node, begin, middle, left, right)
        elif left >= middle:
            level, pans = query(2 * node + 1, middle, end, left, right)
        else:
            level, pans = query(2 * node, begin, middle, left, right)
            other, other_pans = query(2 * node + 1, middle, end, left, right)
            if other < level:
                level, pans = other, other_pans
            elif other == level:
                pans += other_pans
        return level + added[node], pans

    answers = []
    for line in lines[2:]:
        entry = line.split()
        if not entry:
            continue
        left, right = int(entry[1]) - 1, int(entry[2])
        if entry[0] == "S":
            add(1, 0, size, left, right, int(entry[3]))
        else:
            answers.append("%d %d" % query(1, 0, size, left, right))
    return "\n".join(answers)


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
