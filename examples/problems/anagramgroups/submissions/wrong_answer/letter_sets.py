# Forgets how often a letter occurs.
def groupAnagrams(words):
    groups = {}
    for word in words:
        groups.setdefault(frozenset(word), []).append(word)
    return list(groups.values())
