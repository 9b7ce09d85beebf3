# Goes on counting pots in the minutes in which a kiln cools down.
n, p = map(int, input().split())
kilns = [tuple(map(int, input().split())) for _ in range(n)]


def ready(minutes):
    total = 0
    for t, k, c in kilns:
        full, left = divmod(minutes, t * k + c)
        total += full * k + left // t
    return total


low, high = 0, 10**16
while low < high:
    middle = (low + high) // 2
    if ready(middle) >= p:
        high = middle
    else:
        low = middle + 1
print(low)
