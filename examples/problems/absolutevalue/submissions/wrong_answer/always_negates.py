def absoluteValue(n):
    return -n
