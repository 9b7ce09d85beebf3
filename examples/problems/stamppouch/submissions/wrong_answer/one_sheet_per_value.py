# A dict by value forgets a sheet when two sheets have the same value.
def fewestStamps(values, counts, postage):
    best = [0] + [10**9] * postage
    for value, count in dict(zip(values, counts)).items():
        count = min(count, postage // value)
        size = 1
        while count > 0:
            size = min(size, count)
            count -= size
            for total in range(postage, size * value - 1, -1):
                best[total] = min(best[total], best[total - size * value] + size)
            size *= 2
    return best[postage] if best[postage] < 10**9 else -1
