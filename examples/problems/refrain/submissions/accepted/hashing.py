# Binary search for the length; for each length, the first place of every hash.
import sys

MOD = 2**61 - 1
BASE = 9_182_736_455_463_728


def solve(text):
    song = text.strip()
    n = len(song)
    prefix, power = [0], [1]
    for note in song:
        prefix.append((prefix[-1] * BASE + ord(note)) % MOD)
        power.append(power[-1] * BASE % MOD)

    def refrain(size):
        seen = {}
        for begin in range(n - size + 1):
            value = (prefix[begin + size] - prefix[begin] * power[size]) % MOD
            first = seen.setdefault(value, begin)
            if begin - first >= size:
                return song[begin : begin + size]
        return None

    best, low, high = "NONE", 0, n // 2
    while low < high:
        middle = (low + high + 1) // 2
        found = refrain(middle)
        if found:
            best, low = found, middle
        else:
            high = middle - 1
    return best


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
