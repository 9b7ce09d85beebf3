word = input().strip()
print("".join(sorted(word, key=lambda letter: letter not in "aeiouy")))
