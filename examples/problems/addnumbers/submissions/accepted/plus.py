def addNumbers(a, b):
    return a + b
