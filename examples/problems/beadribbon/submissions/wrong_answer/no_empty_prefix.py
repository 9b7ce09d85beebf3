# Misses the pieces that begin with the first bead.
def countPieces(weights, m, r):
    seen = {}
    prefix = pieces = 0
    for weight in weights:
        prefix = (prefix + weight) % m
        pieces += seen.get((prefix - r) % m, 0)
        seen[prefix] = seen.get(prefix, 0) + 1
    return pieces
