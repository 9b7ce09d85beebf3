letters = list(input().strip())
left = 0
right = len(letters) - 1
while left < right:
    if letters[left] in "aeiou":
        left += 1
    elif letters[right] not in "aeiou":
        right -= 1
    else:
        letters[left], letters[right] = letters[right], letters[left]
print("".join(letters))
