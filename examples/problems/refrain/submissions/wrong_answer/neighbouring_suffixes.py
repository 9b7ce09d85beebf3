# Only compares suffixes that are neighbours in the sorted list, and cuts where they overlap.
song = input().strip()
n = len(song)
suffixes = sorted(range(n), key=lambda i: song[i : i + 3000])
best = "NONE"
size = 0
for a, b in zip(suffixes, suffixes[1:]):
    a, b = min(a, b), max(a, b)
    while size < b - a and b + size < n and song.startswith(song[a : a + size + 1], b):
        size += 1
        best = song[a : a + size]
print(best)
