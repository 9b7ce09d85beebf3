# Each kind is fine on its own, but pairs of different kinds may cross.
text = input().strip()
answer = "yes"
for a, b in ["()", "[]", "{}"]:
    depth = 0
    for char in text:
        depth += (char == a) - (char == b)
        if depth < 0:
            answer = "no"
    if depth != 0:
        answer = "no"
print(answer)
