nums = list(map(int, input().split()))
print(sum(nums))
