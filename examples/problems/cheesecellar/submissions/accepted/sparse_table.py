# Minimum and maximum over stretches of 1, 2, 4, ... hours. From each start, jumps as far as
# possible with jumps of halving lengths.
import sys


def solve(text):
    n, d, *readings = map(int, text.split())
    lows, highs = [readings], [readings]
    while 2 ** len(lows) <= n:
        half = 2 ** (len(lows) - 1)
        lows.append(list(map(min, lows[-1], lows[-1][half:])))
        highs.append(list(map(max, highs[-1], highs[-1][half:])))
    best = (0, 0)
    for start in range(n):
        end, low, high = start, readings[start], readings[start]
        for level in range(len(lows) - 1, -1, -1):
            if end + 2**level <= n:
                new_low = min(low, lows[level][end])
                new_high = max(high, highs[level][end])
                if new_high - new_low <= d:
                    low, high = new_low, new_high
                    end += 2**level
        best = max(best, (end - start, -start))
    return f"{best[0]} {1 - best[1]}"


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
