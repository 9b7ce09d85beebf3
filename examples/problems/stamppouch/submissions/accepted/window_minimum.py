# For every sheet and remainder modulo its value: the minimum over a window of the last totals.
from collections import deque


def fewestStamps(values, counts, postage):
    infinite = float("inf")
    best = [0] + [infinite] * postage
    for value, count in zip(values, counts):
        new = [infinite] * (postage + 1)
        for remainder in range(min(value, postage + 1)):
            window = deque()
            for step, total in enumerate(range(remainder, postage + 1, value)):
                key = best[total] - step
                while window and window[-1][1] >= key:
                    window.pop()
                window.append((step, key))
                if window[0][0] < step - count:
                    window.popleft()
                new[total] = window[0][1] + step
        best = new
    return -1 if best[postage] == infinite else best[postage]
