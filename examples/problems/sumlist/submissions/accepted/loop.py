total = 0
for token in input().split():
    total = total + int(token)
print(total)
