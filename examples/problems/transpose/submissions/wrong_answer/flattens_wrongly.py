# Has the right shape, but fills it in the old reading order.
def transposeTable(table):
    flat = [value for row in table for value in row]
    rows = len(table)
    return [flat[i : i + rows] for i in range(0, len(flat), rows)]
