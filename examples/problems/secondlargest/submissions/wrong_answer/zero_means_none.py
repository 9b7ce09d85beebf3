def secondLargest(nums):
    values = sorted(set(nums))
    second = values[-2] if len(values) > 1 else 0
    return second or None
