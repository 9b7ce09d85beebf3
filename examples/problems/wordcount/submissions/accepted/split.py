words = input().split()
print(len(words))
