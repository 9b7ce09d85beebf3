from math import gcd

MOD = 998244353


def lanternWheels(n, k):
    total = 0
    for turn in range(1, n + 1):
        g = gcd(turn, n)
        total += pow(k - 1, g, MOD) + (k - 1 if g % 2 == 0 else 1 - k)
    return total * pow(n, -1, MOD) % MOD
