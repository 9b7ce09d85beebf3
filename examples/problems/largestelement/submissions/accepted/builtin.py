def largestElement(nums):
    return max(nums)
