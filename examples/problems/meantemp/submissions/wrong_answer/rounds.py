n = int(input())
temperatures = list(map(float, input().split()))
print(round(sum(temperatures) / n, 1))
