text = input().strip()
print("even" if int(text.lstrip("-")[0]) % 2 == 0 else "odd")
