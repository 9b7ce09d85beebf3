def absoluteValue(n):
    return abs(n)
