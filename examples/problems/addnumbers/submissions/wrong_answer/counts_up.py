# range(b) is empty when b is negative.
def addNumbers(a, b):
    for _ in range(b):
        a += 1
    return a
