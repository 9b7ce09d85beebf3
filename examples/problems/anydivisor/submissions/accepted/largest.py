# Tries 2, 3 and the numbers of the form 6k - 1 and 6k + 1, prints the larger divisor.
import math

n = int(input())
candidates = [2, 3]
for k in range(6, math.isqrt(n) + 2, 6):
    candidates += [k - 1, k + 1]
for d in candidates:
    if d * d <= n and n % d == 0:
        print(n // d)
        break
else:
    print(-1)
