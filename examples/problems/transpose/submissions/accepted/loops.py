def transposeTable(table: list[list[int]]) -> list[list[int]]:
    rows = len(table)
    columns = len(table[0])
    result = [[0] * rows for _ in range(columns)]
    for i in range(rows):
        for j in range(columns):
            result[j][i] = table[i][j]
    return result
