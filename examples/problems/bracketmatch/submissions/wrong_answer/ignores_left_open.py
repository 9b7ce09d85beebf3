stack = []
answer = "yes"
for char in input().strip():
    if char in "([{":
        stack.append(char)
    elif not stack or stack.pop() + char not in ("()", "[]", "{}"):
        answer = "no"
print(answer)
