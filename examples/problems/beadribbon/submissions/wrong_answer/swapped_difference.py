# Looks for the prefix r - p instead of p - r.
def countPieces(weights, m, r):
    seen = {0: 1}
    prefix = pieces = 0
    for weight in weights:
        prefix = (prefix + weight) % m
        pieces += seen.get((r - prefix) % m, 0)
        seen[prefix] = seen.get(prefix, 0) + 1
    return pieces
