nums = [int(token) for token in input().split()]
best = nums[0]
for num in nums:
    if num > best:
        best = num
print(best)
