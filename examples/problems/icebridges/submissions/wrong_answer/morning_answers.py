# Answers with the largest village before the bridge melts.
import sys

n, m, q, *rest = map(int, sys.stdin.read().split())
bridges = list(zip(rest[0 : 2 * m : 2], rest[1 : 2 * m : 2]))
melting = [i - 1 for i in rest[2 * m :]]
parent = list(range(n + 1))
size = [1] * (n + 1)
largest = 1


def find(x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


def join(a, b):
    global largest
    a, b = find(a), find(b)
    if a != b:
        parent[a] = b
        size[b] += size[a]
        largest = max(largest, size[b])


for i in set(range(m)) - set(melting):
    join(*bridges[i])
answers = []
for i in reversed(melting):
    join(*bridges[i])
    answers.append(largest)
print(*reversed(answers), sep="\n")
