line = input()
count = 0
inside = False
for char in line:
    if char == " ":
        inside = False
    elif not inside:
        inside = True
        count += 1
print(count)
