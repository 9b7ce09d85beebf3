import sys

n, q = map(int, sys.stdin.readline().split())
levels = list(map(int, sys.stdin.readline().split()))
for _ in range(q):
    kind, left, right, *v = sys.stdin.readline().split()
    left, right = int(left) - 1, int(right)
    if kind == "S":
        for i in range(left, right):
            levels[i] += int(v[0])
    else:
        lowest, count = levels[left], 0
        for i in range(left, right):
            if levels[i] < lowest:
                lowest, count = levels[i], 1
            elif levels[i] == lowest:
                count += 1
        print(lowest, count)
