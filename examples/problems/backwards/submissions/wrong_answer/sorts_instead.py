word = input()
print("".join(sorted(word, reverse=True)))
