CLOSES = {")": "(", "]": "[", "}": "{"}

stack = []
balanced = True
for char in input().strip():
    if char not in CLOSES:
        stack.append(char)
    elif not stack or stack.pop() != CLOSES[char]:
        balanced = False
        break
print("yes" if balanced and not stack else "no")
