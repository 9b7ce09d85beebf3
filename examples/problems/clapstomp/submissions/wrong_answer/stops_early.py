n = int(input())
for i in range(1, n):
    word = "clap" * (i % 4 == 0) + "stomp" * (i % 6 == 0)
    print(word or i)
