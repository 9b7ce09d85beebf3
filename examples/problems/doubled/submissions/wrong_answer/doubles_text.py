n = input()
print(n * 2)
