# Averages, over all turns, the number of wheels that a turn leaves as they are. A turn by s
# lanterns works like a cycle of gcd(s, n) lanterns.
MOD = 998244353


def lanternWheels(n: int, k: int) -> int:
    divisors = [1]
    rest, p = n, 2
    primes = []
    while rest > 1:
        if p * p > rest:
            p = rest
        powers = [1]
        while rest % p == 0:
            rest //= p
            powers.append(powers[-1] * p)
        if len(powers) > 1:
            primes.append(p)
            divisors = [d * power for d in divisors for power in powers]
        p += 1

    def totient(d):
        for prime in primes:
            if d % prime == 0:
                d -= d // prime
        return d

    def cycles(g):
        return pow(k - 1, g, MOD) + (k - 1) * (-1) ** (g % 2)

    total = sum(totient(n // g) * cycles(g) for g in divisors)
    return total * pow(n, -1, MOD) % MOD
