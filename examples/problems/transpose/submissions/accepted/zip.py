def transposeTable(table):
    return [list(column) for column in zip(*table)]
