text = input()
same = all(text.count(a) == text.count(b) for a, b in ["()", "[]", "{}"])
print("yes" if same else "no")
