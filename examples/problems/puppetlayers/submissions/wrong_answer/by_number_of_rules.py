# Sorts the layers by the number of layers that must come before.
def dressingOrder(n, rules):
    before = [0] * n
    for _, b in rules:
        before[b] += 1
    return sorted(range(n), key=before.__getitem__)
