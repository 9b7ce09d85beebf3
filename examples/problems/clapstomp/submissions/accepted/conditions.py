n = int(input())
for i in range(1, n + 1):
    if i % 12 == 0:
        print("clapstomp")
    elif i % 4 == 0:
        print("clap")
    elif i % 6 == 0:
        print("stomp")
    else:
        print(i)
