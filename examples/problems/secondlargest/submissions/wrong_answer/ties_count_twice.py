def secondLargest(nums):
    if len(set(nums)) == 1:
        return None
    return sorted(nums)[-2]
