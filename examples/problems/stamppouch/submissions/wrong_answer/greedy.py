# Takes the most valuable stamps first.
def fewestStamps(values, counts, postage):
    used = 0
    for value, count in sorted(zip(values, counts), reverse=True):
        take = min(count, postage // value)
        used += take
        postage -= take * value
    return used if postage == 0 else -1
