# All tours of one stall, two stalls, ...; of those with the same stalls and the same last stall,
# keeps the one which is finished first.
import sys


def solve(text):
    data = iter(map(int, text.split()))
    n = next(data)
    opens, closes, takes, gate = zip(*[[next(data) for _ in range(4)] for _ in range(n)])
    walk = [[next(data) for _ in range(n)] for _ in range(n)]
    tours = {
        (frozenset([i]), i): max(gate[i], opens[i]) + takes[i]
        for i in range(n)
        if gate[i] <= closes[i]
    }
    number, finished = 0, 0
    while tours:
        number, finished = number + 1, min(tours.values())
        longer = {}
        for (bought, i), minute in tours.items():
            for j in range(n):
                arrival = minute + walk[i][j]
                if j in bought or arrival > closes[j]:
                    continue
                end = max(arrival, opens[j]) + takes[j]
                key = (bought | {j}, j)
                if longer.get(key, end) >= end:
                    longer[key] = end
        tours = longer
    return f"{number} {finished}"


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
