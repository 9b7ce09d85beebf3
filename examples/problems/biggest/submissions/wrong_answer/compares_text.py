print(max(input().split()))
