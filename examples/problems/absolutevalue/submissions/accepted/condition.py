def absoluteValue(n: int) -> int:
    if n < 0:
        return -n
    return n
