# Cuts runs into pieces of at most 9 letters.
word = input().strip()
out = ""
i = 0
while i < len(word):
    n = 1
    while n < 9 and i + n < len(word) and word[i + n] == word[i]:
        n += 1
    out += word[i] + str(n)
    i += n
print(out)
