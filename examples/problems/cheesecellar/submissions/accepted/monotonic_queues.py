import sys
from collections import deque


def solve(text):
    n, d, *readings = map(int, text.split())
    low, high = deque(), deque()  # hours with growing, falling readings
    start = best = best_start = 0
    for hour, reading in enumerate(readings):
        while low and readings[low[-1]] >= reading:
            low.pop()
        low.append(hour)
        while high and readings[high[-1]] <= reading:
            high.pop()
        high.append(hour)
        while readings[high[0]] - readings[low[0]] > d:
            start += 1
            if low[0] < start:
                low.popleft()
            if high[0] < start:
                high.popleft()
        if hour - start + 1 > best:
            best, best_start = hour - start + 1, start
    return f"{best} {best_start + 1}"


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
