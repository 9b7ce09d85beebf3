def groupAnagrams(words):
    groups = {}
    for word in set(words):
        groups.setdefault("".join(sorted(word)), []).append(word)
    return list(groups.values())
