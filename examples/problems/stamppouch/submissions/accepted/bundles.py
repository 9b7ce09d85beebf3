# Splits every sheet into bundles of 1, 2, 4, ... stamps: a 0/1 knapsack.
def fewestStamps(values: list[int], counts: list[int], postage: int) -> int:
    infinite = 10**9
    best = [0] + [infinite] * postage
    for value, count in zip(values, counts):
        count = min(count, postage // value)
        size = 1
        while count > 0:
            size = min(size, count)
            count -= size
            worth = size * value
            for total in range(postage, worth - 1, -1):
                with_bundle = best[total - worth] + size
                if with_bundle < best[total]:
                    best[total] = with_bundle
            size *= 2
    return best[postage] if best[postage] < infinite else -1
