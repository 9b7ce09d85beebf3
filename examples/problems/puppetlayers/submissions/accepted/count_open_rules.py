def dressingOrder(n: int, rules: list[list[int]]) -> list[int]:
    later = [[] for _ in range(n)]
    open_rules = [0] * n
    for a, b in rules:
        later[a].append(b)
        open_rules[b] += 1
    order = [layer for layer in range(n) if open_rules[layer] == 0]
    for layer in order:
        for other in later[layer]:
            open_rules[other] -= 1
            if open_rules[other] == 0:
                order.append(other)
    return order if len(order) == n else []
