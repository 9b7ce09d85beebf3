n = int(input())
if n > 0 and n % 2 == 0:
    print("even")
else:
    print("odd")
