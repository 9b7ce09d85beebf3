# The length of the common stretch that ends at i and j, for all pairs i < j.
song = input().strip()
n = len(song)
common = [0] * (n + 1)
best, end = 0, 0
for j in range(n):
    new = [0] * (n + 1)
    for i in range(j):
        if song[i] == song[j]:
            new[i + 1] = min(common[i] + 1, j - i)
            if new[i + 1] > best:
                best, end = new[i + 1], i + 1
    common = new
print(song[end - best : end] or "NONE")
