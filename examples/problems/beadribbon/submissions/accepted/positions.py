# Groups the prefixes by remainder and counts pairs of positions with a binary search.
from bisect import bisect_left
from itertools import accumulate


def countPieces(weights, m, r):
    positions = {}
    for i, total in enumerate(accumulate(weights, initial=0)):
        positions.setdefault(total % m, []).append(i)
    pieces = 0
    for remainder, ends in positions.items():
        starts = positions.get((remainder - r) % m, [])
        pieces += sum(bisect_left(starts, end) for end in ends)
    return pieces
