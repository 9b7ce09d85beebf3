word = input().strip()
result = ""
for letter in word:
    result = letter + result
print(result)
