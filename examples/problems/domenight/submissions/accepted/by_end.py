# In the order of the ends; takes the dome that became free last, of those free in time.
import sys
from bisect import bisect_right, insort


def solve(text):
    n, k, g, *rest = map(int, text.split())
    observations = sorted(zip(rest[1::2], rest[0::2]))
    free_from = [0] * k
    made = 0
    for end, start in observations:
        place = bisect_right(free_from, start)
        if place > 0:
            free_from.pop(place - 1)
            insort(free_from, end + g)
            made += 1
    return str(made)


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
