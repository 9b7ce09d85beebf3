n = int(input())
temperatures = list(map(float, input().split()))
print(sum(temperatures) // n)
