# Goes backwards in time: the bridges appear, and union-find joins the villages.
import sys


def solve(text):
    n, m, q, *rest = map(int, text.split())
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

    def join(bridge):
        nonlocal largest
        a, b = find(bridges[bridge][0]), find(bridges[bridge][1])
        if a != b:
            if size[a] < size[b]:
                a, b = b, a
            parent[b] = a
            size[a] += size[b]
            largest = max(largest, size[a])

    for bridge in set(range(m)) - set(melting):
        join(bridge)
    answers = []
    for bridge in reversed(melting):
        answers.append(largest)
        join(bridge)
    return "\n".join(map(str, reversed(answers)))


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
