def gossipTimes(n: int, lines: list[list[int]]) -> list[int]:
    near = [[] for _ in range(n)]
    for a, b in lines:
        near[a].append(b)
        near[b].append(a)
    parent = [-1] * n
    order = [0]
    for farm in order:
        for other in near[farm]:
            if other != parent[farm]:
                parent[other] = farm
                order.append(other)

    # down[v]: minutes from v to the farms below v.
    down = [0] * n
    for farm in reversed(order):
        times = sorted((down[o] for o in near[farm] if o != parent[farm]), reverse=True)
        down[farm] = max((i + time for i, time in enumerate(times, start=1)), default=0)

    # up[v]: minutes from the parent of v to all farms which are not below v.
    up = [0] * n
    answers = [0] * n
    for farm in order:
        times = [(up[farm] if o == parent[farm] else down[o], o) for o in near[farm]]
        times.sort(reverse=True)
        later = [0] * (len(times) + 1)  # the times from i on, if one farm fewer is called before
        for i in range(len(times) - 1, -1, -1):
            later[i] = max(later[i + 1], i + times[i][0])
        before = 0
        for i, (time, other) in enumerate(times):
            if other != parent[farm]:
                up[other] = max(before, later[i + 1])
            before = max(before, i + 1 + time)
        answers[farm] = before
    return answers
