import sys

mean = 0.0
for count, token in enumerate(sys.stdin.read().split()[1:], start=1):
    mean += (float(token) - mean) / count
print(f"{mean:.10f}")
