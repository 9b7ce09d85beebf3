def largestElement(nums):
    best = 0
    for num in nums:
        if num > best:
            best = num
    return best
