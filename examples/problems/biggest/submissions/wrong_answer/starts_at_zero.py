best = 0
for token in input().split():
    best = max(best, int(token))
print(best)
