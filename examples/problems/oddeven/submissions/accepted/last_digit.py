text = input().strip()
print("even" if text[-1] in "02468" else "odd")
