def largestElement(nums: list[int]) -> int:
    best = nums[0]
    for num in nums[1:]:
        if num > best:
            best = num
    return best
