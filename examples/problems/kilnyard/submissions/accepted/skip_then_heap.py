# Skips to a moment at which surely fewer than p pots are ready, and simulates from there.
import heapq
import sys


def solve(text):
    n, p, *rest = map(int, text.split())
    kilns = list(zip(rest[0::3], rest[1::3], rest[2::3]))
    rate = sum(k / (t * k + c) for t, k, c in kilns)
    spare = sum(k for _, k, _ in kilns)
    skipped = max(0, int((p - spare) / rate * (1 - 1e-9)) - 1)

    def finished_at(kiln, pot):
        t, k, c = kilns[kiln]
        cycle, place = divmod(pot, k)
        return cycle * (t * k + c) + (place + 1) * t

    ready = 0
    events = []
    for i, (t, k, c) in enumerate(kilns):
        full, left = divmod(skipped, t * k + c)
        pots = full * k + min(k, left // t)
        ready += pots
        events.append((finished_at(i, pots), i, pots))
    heapq.heapify(events)
    minute = skipped
    while ready < p:
        minute, i, pots = events[0]
        ready += 1
        heapq.heapreplace(events, (finished_at(i, pots + 1), i, pots + 1))
    return str(minute)


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
