# Calls the neighbours with the most farms behind them first.
def gossipTimes(n, lines):
    near = [[] for _ in range(n)]
    for a, b in lines:
        near[a].append(b)
        near[b].append(a)
    known = {}

    def time_and_size(start, start_parent):
        stack = [(start, start_parent)]
        while stack:
            farm, parent = stack[-1]
            missing = [(o, farm) for o in near[farm] if o != parent and (o, farm) not in known]
            if missing:
                stack += missing
                continue
            stack.pop()
            below = sorted((known[o, farm] for o in near[farm] if o != parent), reverse=True)
            time = max((i + t for i, (_, t) in enumerate(below, start=1)), default=0)
            known[farm, parent] = (1 + sum(s for s, _ in below), time)
        return known[start, start_parent]

    return [time_and_size(farm, -1)[1] for farm in range(n)]
