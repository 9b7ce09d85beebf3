def secondLargest(nums):
    values = sorted(set(nums))
    if len(values) < 2:
        return None
    return values[-2]
