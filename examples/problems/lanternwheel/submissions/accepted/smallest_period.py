# For every divisor d of n: the rows of smallest period d are the proper cycles of length d less
# those of a smaller period, and d of them are the same wheel.
MOD = 998244353


def lanternWheels(n, k):
    small = [d for d in range(1, int(n**0.5) + 2) if n % d == 0]
    divisors = sorted(set(small) | {n // d for d in small})
    primes = [d for d in divisors if d > 1 and all(d % e for e in small if 1 < e < d)]
    count = {}
    for d in divisors:
        sign = 1 if d % 2 == 0 else -1
        count[d] = (pow(k - 1, d, MOD) + sign * (k - 1)) % MOD
    for p in primes:
        for d in reversed(divisors):
            if d % p == 0:
                count[d] -= count[d // p]
    return sum(count[d] * pow(d, -1, MOD) for d in divisors) % MOD
