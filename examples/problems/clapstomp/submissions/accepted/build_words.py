n = int(input())
lines = []
for i in range(1, n + 1):
    word = ""
    if i % 4 == 0:
        word += "clap"
    if i % 6 == 0:
        word += "stomp"
    lines.append(word or str(i))
print("\n".join(lines))
