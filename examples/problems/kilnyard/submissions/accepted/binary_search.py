import sys


def solve(text):
    n, p, *rest = map(int, text.split())
    kilns = list(zip(rest[0::3], rest[1::3], rest[2::3]))

    def ready(minutes):
        total = 0
        for t, k, c in kilns:
            full, left = divmod(minutes, t * k + c)
            total += full * k + min(k, left // t)
        return total

    low, high = 0, min((t + c) * p for t, _, c in kilns)
    while high - low > 1:
        middle = (low + high) // 2
        if ready(middle) >= p:
            high = middle
        else:
            low = middle
    return str(high)


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
