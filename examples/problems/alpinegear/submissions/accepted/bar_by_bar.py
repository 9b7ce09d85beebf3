# States 2 * place + gear; relaxes all edges from a queue, once for each number of eaten bars, and
# takes the times with one bar fewer as the beginning of the next round.
import sys
from collections import deque

INFINITE = 10**18


def solve(text):
    lines = text.split("\n")
    n, m, c, b = map(int, lines[0].split())
    walks = [[] for _ in range(2 * n + 2)]
    changes = [[] for _ in range(2 * n + 2)]
    for place in map(int, lines[1].split()[1:]):
        changes[2 * place].append((2 * place + 1, c))
        changes[2 * place + 1].append((2 * place, c))
    for line in lines[2 : 2 + m]:
        x, y, t, kind = line.split()
        gear = int(kind == "snow")
        x, y = 2 * int(x) + gear, 2 * int(y) + gear
        walks[x].append((y, int(t)))
        walks[y].append((x, int(t)))
    best = [INFINITE] * (2 * n + 2)
    best[2] = 0
    queue = deque([2])
    for bars in range(b + 1):
        if bars:
            earlier = best
            best = earlier[:]
            for state, ways in enumerate(walks):
                for to, t in ways:
                    best[to] = min(best[to], earlier[state] + (t + 1) // 2)
            queue = deque(s for s in range(2 * n + 2) if best[s] < earlier[s])
        waiting = [False] * (2 * n + 2)
        for state in queue:
            waiting[state] = True
        while queue:
            state = queue.popleft()
            waiting[state] = False
            for to, t in walks[state] + changes[state]:
                if best[state] + t < best[to]:
                    best[to] = best[state] + t
                    if not waiting[to]:
                        waiting[to] = True
                        queue.append(to)
    time = min(best[2 * n], best[2 * n + 1])
    return str(time if time < INFINITE else -1)


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
