# In the order of the starts; when more than k observations run, gives up the one that ends last.
import heapq
import sys


def solve(text):
    n, k, g, *rest = map(int, text.split())
    observations = sorted(zip(rest[0::2], rest[1::2]))
    first_out, last_out = [], []
    gone = set()
    running = given_up = 0
    for i, (start, end) in enumerate(observations):
        while first_out and first_out[0][0] + g <= start:
            _, done = heapq.heappop(first_out)
            if done not in gone:
                gone.add(done)
                running -= 1
        heapq.heappush(first_out, (end, i))
        heapq.heappush(last_out, (-end, i))
        running += 1
        if running > k:
            while last_out[0][1] in gone:
                heapq.heappop(last_out)
            gone.add(heapq.heappop(last_out)[1])
            running -= 1
            given_up += 1
    return str(n - given_up)


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
