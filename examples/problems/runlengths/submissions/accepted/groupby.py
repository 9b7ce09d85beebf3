from itertools import groupby

word = input().strip()
print("".join(f"{letter}{len(list(run))}" for letter, run in groupby(word)))
