word = input().strip()
letters = set(word)
print("".join(sorted(letters & set("aeiou")) + sorted(letters - set("aeiou"))))
