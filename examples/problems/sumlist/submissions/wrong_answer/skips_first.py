# Takes the first number for the count of the others.
nums = list(map(int, input().split()))
print(sum(nums[1:]))
