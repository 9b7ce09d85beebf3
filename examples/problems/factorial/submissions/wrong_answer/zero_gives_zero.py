def factorial(n):
    result = n
    for i in range(2, n):
        result *= i
    return result
