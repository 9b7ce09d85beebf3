from collections import defaultdict


def countPieces(weights: list[int], m: int, r: int) -> int:
    seen = defaultdict(int)
    seen[0] = 1
    prefix = pieces = 0
    for weight in weights:
        prefix = (prefix + weight) % m
        pieces += seen[(prefix - r) % m]
        seen[prefix] += 1
    return pieces
