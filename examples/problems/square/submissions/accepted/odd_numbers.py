# n squared is the sum of the first |n| odd numbers.
n = abs(int(input()))
print(sum(range(1, 2 * n, 2)))
