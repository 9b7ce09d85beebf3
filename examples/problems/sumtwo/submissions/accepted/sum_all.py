import sys

print(sum(int(token) for token in sys.stdin.read().split()))
