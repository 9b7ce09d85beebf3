import string

table = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
text = input()
print(text.translate(table))
