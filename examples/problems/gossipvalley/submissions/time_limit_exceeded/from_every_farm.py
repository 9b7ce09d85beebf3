def gossipTimes(n, lines):
    near = [[] for _ in range(n)]
    for a, b in lines:
        near[a].append(b)
        near[b].append(a)
    answers = []
    for start in range(n):
        parent = {start: None}
        order = [start]
        for farm in order:
            for other in near[farm]:
                if other != parent[farm]:
                    parent[other] = farm
                    order.append(other)
        minutes = {}
        for farm in reversed(order):
            times = sorted((minutes[o] for o in near[farm] if o != parent[farm]), reverse=True)
            minutes[farm] = max((i + t for i, t in enumerate(times, start=1)), default=0)
        answers.append(minutes[start])
    return answers
