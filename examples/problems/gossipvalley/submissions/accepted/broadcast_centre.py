# Slater, Cockayne and Hedetniemi (1981): taking away the leaf with the smallest time again and
# again ends at a farm with the best time. If its first j calls are critical, the farms with the
# best time are this one and the j farms it calls first, and every other farm needs as much longer
# as it is away from them.
import heapq


def gossipTimes(n, lines):
    near = [[] for _ in range(n)]
    for a, b in lines:
        near[a].append(b)
        near[b].append(a)
    degree = [len(others) for others in near]
    removed = [False] * n
    told = [[] for _ in range(n)]
    leaves = [(0, farm) for farm in range(n) if degree[farm] <= 1]
    heapq.heapify(leaves)
    for _ in range(n - 1):
        time, leaf = heapq.heappop(leaves)
        removed[leaf] = True
        farm = next(other for other in near[leaf] if not removed[other])
        told[farm].append((time, leaf))
        degree[farm] -= 1
        if degree[farm] == 1:
            times = sorted((t for t, _ in told[farm]), reverse=True)
            heapq.heappush(leaves, (max(i + t for i, t in enumerate(times, start=1)), farm))
    centre = removed.index(False)
    calls = sorted(told[centre], reverse=True)
    best = max((i + t for i, (t, _) in enumerate(calls, start=1)), default=0)
    answers = [-1] * n
    answers[centre] = best
    queue = [centre]
    for i, (t, farm) in enumerate(calls, start=1):
        answers[farm] = best
        queue.append(farm)
        if i + t == best:
            break
    for farm in queue:
        for other in near[farm]:
            if answers[other] < 0:
                answers[other] = answers[farm] + 1
                queue.append(other)
    return answers
