# Sorts all bridges by the day they melt, the last ones first. Villages are lists of islands; the
# smaller list is moved into the larger one.
import sys


def solve(text):
    data = list(map(int, text.split()))
    n, m, q = data[:3]
    day = [q] * m
    for number, bridge in enumerate(data[3 + 2 * m :]):
        day[bridge - 1] = number
    village = [[i] for i in range(n + 1)]
    answers = [1] * q
    largest = 1
    order = sorted(range(m), key=lambda i: -day[i])
    for i in order:
        if day[i] < q:
            answers[day[i]] = largest
        a, b = village[data[3 + 2 * i]], village[data[4 + 2 * i]]
        if a is b:
            continue
        if len(a) < len(b):
            a, b = b, a
        a.extend(b)
        for island in b:
            village[island] = a
        largest = max(largest, len(a))
    return "\n".join(map(str, answers))


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
