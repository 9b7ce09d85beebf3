n = int(input())
answer = -1
d = 2
while d * d <= n:
    if n % d == 0:
        answer = d
        break
    d += 1
print(answer)
