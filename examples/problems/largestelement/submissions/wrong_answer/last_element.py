def largestElement(nums):
    return nums[-1]
