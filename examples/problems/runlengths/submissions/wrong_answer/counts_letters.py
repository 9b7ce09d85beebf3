# Counts each letter in the whole word instead of in each run.
from collections import Counter

word = input().strip()
print("".join(f"{letter}{count}" for letter, count in Counter(word).items()))
