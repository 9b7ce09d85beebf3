text = input().strip()
before = None
while text != before:
    before = text
    text = text.replace("()", "").replace("[]", "").replace("{}", "")
print("no" if text else "yes")
