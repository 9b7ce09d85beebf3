# done[mask * n + i]: the earliest minute to be finished with the stalls of mask, i the last one.
import sys

NEVER = 10**9


def solve(text):
    n, *rest = map(int, text.split())
    stalls = [rest[4 * i : 4 * i + 4] for i in range(n)]
    rows = rest[4 * n :]
    walk = [rows[n * i : n * i + n] for i in range(n)]
    done = [NEVER] * (n << n)
    best = (0, 0)  # number of stalls, minus the minute

    def buy(stall, minute):
        opens, closes, takes, _ = stalls[stall]
        if minute > closes:
            return NEVER
        return max(minute, opens) + takes

    for i in range(n):
        done[(1 << i) * n + i] = buy(i, stalls[i][3])
    for mask in range(1, 1 << n):
        for i in range(n):
            minute = done[mask * n + i]
            if minute == NEVER:
                continue
            best = max(best, (mask.bit_count(), -minute))
            for j in range(n):
                if mask >> j & 1:
                    continue
                finished = buy(j, minute + walk[i][j])
                place = (mask | 1 << j) * n + j
                if finished < done[place]:
                    done[place] = finished
    return f"{best[0]} {-best[1]}"


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
