# Lets the first and the last lantern have the same colour.
MOD = 998244353


def lanternWheels(n, k):
    def totient(d):
        result, p = d, 2
        while p * p <= d:
            if d % p == 0:
                result -= result // p
                while d % p == 0:
                    d //= p
            p += 1
        return result - result // d if d > 1 else result

    total = 0
    for g in range(1, int(n**0.5) + 1):
        if n % g == 0:
            for d in {g, n // g}:
                total += totient(n // d) * k * pow(k - 1, d - 1, MOD)
    return total * pow(n, -1, MOD) % MOD
