# Turns the table by 90 degrees instead.
def transposeTable(table):
    return [list(column) for column in zip(*table[::-1])]
