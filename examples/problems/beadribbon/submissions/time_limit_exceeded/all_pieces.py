def countPieces(weights, m, r):
    pieces = 0
    for start in range(len(weights)):
        total = 0
        for weight in weights[start:]:
            total += weight
            if total % m == r:
                pieces += 1
    return pieces
