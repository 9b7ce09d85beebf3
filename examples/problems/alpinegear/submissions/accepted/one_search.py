# Dijkstra's algorithm on the states (place, gear, bars left).
import heapq
import sys


def solve(text):
    data = iter(text.split())
    n, m, c, b = (int(next(data)) for _ in range(4))
    huts = {int(next(data)) for _ in range(int(next(data)))}
    trails = {"rock": [[] for _ in range(n + 1)], "snow": [[] for _ in range(n + 1)]}
    for _ in range(m):
        x, y, t = (int(next(data)) for _ in range(3))
        kind = next(data)
        trails[kind][x].append((y, t))
        trails[kind][y].append((x, t))
    best = {(1, "rock", b): 0}
    heap = [(0, 1, "rock", b)]
    while heap:
        time, place, gear, bars = heapq.heappop(heap)
        if time > best[place, gear, bars]:
            continue
        if place == n:
            return str(time)
        moves = [(to, gear, bars, t) for to, t in trails[gear][place]]
        if bars:
            moves += [(to, gear, bars - 1, (t + 1) // 2) for to, t in trails[gear][place]]
        if place in huts:
            moves.append((place, "snow" if gear == "rock" else "rock", bars, c))
        for to, new_gear, new_bars, t in moves:
            state = (to, new_gear, new_bars)
            if state not in best or time + t < best[state]:
                best[state] = time + t
                heapq.heappush(heap, (time + t, *state))
    return "-1"


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
