# Depth-first search without recursion; a layer is written down when all later ones are.
def dressingOrder(n, rules):
    later = [[] for _ in range(n)]
    for a, b in rules:
        later[a].append(b)
    state = ["new"] * n
    backwards = []
    for first in range(n):
        if state[first] != "new":
            continue
        state[first] = "open"
        stack = [(first, iter(later[first]))]
        while stack:
            layer, others = stack[-1]
            for other in others:
                if state[other] == "open":
                    return []
                if state[other] == "new":
                    state[other] = "open"
                    stack.append((other, iter(later[other])))
                    break
            else:
                state[layer] = "done"
                backwards.append(layer)
                stack.pop()
    return backwards[::-1]
