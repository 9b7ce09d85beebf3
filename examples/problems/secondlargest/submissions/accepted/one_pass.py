def secondLargest(nums: list[int]) -> int | None:
    first = second = None
    for num in nums:
        if first is None or num > first:
            first, second = num, first
        elif num < first and (second is None or num > second):
            second = num
    return second
