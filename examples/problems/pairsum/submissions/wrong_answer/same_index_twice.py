# Pairs an element with itself when it is half of the target.
def findPair(nums, target):
    index = {num: i for i, num in enumerate(nums)}
    for i, num in enumerate(nums):
        if target - num in index:
            return [i, index[target - num]]
