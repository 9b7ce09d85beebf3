def findPair(nums, target):
    seen = set()
    for num in nums:
        if target - num in seen:
            return [target - num, num]
        seen.add(num)
