def groupAnagrams(words: list[str]) -> list[list[str]]:
    groups: dict[tuple[int, ...], list[str]] = {}
    for word in reversed(words):
        key = tuple(word.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz")
        groups.setdefault(key, []).append(word)
    return list(groups.values())
