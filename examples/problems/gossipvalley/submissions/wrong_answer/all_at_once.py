# Lets a farm call all its neighbours in the same minute.
def gossipTimes(n, lines):
    near = [[] for _ in range(n)]
    for a, b in lines:
        near[a].append(b)
        near[b].append(a)

    def distances(start):
        away = {start: 0}
        queue = [start]
        for farm in queue:
            for other in near[farm]:
                if other not in away:
                    away[other] = away[farm] + 1
                    queue.append(other)
        return away, queue[-1]

    _, one_end = distances(0)
    from_one, other_end = distances(one_end)
    from_other, _ = distances(other_end)
    return [max(from_one[farm], from_other[farm]) for farm in range(n)]
