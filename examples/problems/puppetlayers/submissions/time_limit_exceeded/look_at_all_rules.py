def dressingOrder(n, rules):
    order = []
    worn = set()
    while len(order) < n:
        for layer in range(n):
            if layer not in worn and all(a in worn for a, b in rules if b == layer):
                order.append(layer)
                worn.add(layer)
                break
        else:
            return []
    return order
