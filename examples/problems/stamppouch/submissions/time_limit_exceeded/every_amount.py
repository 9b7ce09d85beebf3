def fewestStamps(values, counts, postage):
    best = [0] + [10**9] * postage
    for value, count in zip(values, counts):
        for total in range(postage, 0, -1):
            for used in range(1, min(count, total // value) + 1):
                candidate = best[total - used * value] + used
                if candidate < best[total]:
                    best[total] = candidate
    return best[postage] if best[postage] < 10**9 else -1
