word = input().strip()
parts = []
start = 0
for i in range(1, len(word) + 1):
    if i == len(word) or word[i] != word[start]:
        parts.append(word[start] + str(i - start))
        start = i
print("".join(parts))
