# Begins with no bridges at all on the last day.
import sys

n, m, q, *rest = map(int, sys.stdin.read().split())
parent = list(range(n + 1))
size = [1] * (n + 1)
largest = 1


def find(x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


answers = []
for i in reversed(rest[2 * m :]):
    answers.append(largest)
    a, b = find(rest[2 * i - 2]), find(rest[2 * i - 1])
    if a != b:
        parent[a] = b
        size[b] += size[a]
        largest = max(largest, size[b])
print(*reversed(answers), sep="\n")
