def stringLength(text: str) -> int:
    count = 0
    for _ in text:
        count += 1
    return count
