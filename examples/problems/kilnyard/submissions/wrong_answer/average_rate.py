# Divides by the average number of pots a minute.
n, p = map(int, input().split())
rate = 0.0
for _ in range(n):
    t, k, c = map(int, input().split())
    rate += k / (t * k + c)
print(int(p / rate))
