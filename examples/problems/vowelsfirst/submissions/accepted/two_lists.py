word = input().strip()
vowels = [letter for letter in word if letter in "aeiou"]
consonants = [letter for letter in word if letter not in "aeiou"]
print("".join(vowels + consonants))
