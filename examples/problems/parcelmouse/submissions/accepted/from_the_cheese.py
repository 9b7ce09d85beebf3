# Computes all distances to the cheese, layer by layer on a flat grid with a wall around it, and
# then walks downhill.
import sys


def solve(text):
    h, w, *rows = text.split()
    h, w = int(h), int(w)
    width = w + 2
    hall = "#" * width + "".join("#" + row + "#" for row in rows) + "#" * width
    letters = {-width: "U", width: "D", -1: "L", 1: "R"}
    belt = {"^": -width, "v": width, "<": -1, ">": 1}
    distance = [-1] * len(hall)
    goal, place = hall.index("E"), hall.index("S")
    distance[goal] = 0
    layer = [goal]
    while layer and distance[place] < 0:
        following = []
        for to in layer:
            for move in letters:
                before = to - move
                square = hall[before]
                if square == "#" or distance[before] >= 0 or belt.get(square, move) != move:
                    continue
                distance[before] = distance[to] + 1
                following.append(before)
        layer = following
    if distance[place] < 0:
        return "STUCK"
    steps = []
    while place != goal:
        for move, letter in letters.items():
            if belt.get(hall[place], move) != move:
                continue
            if distance[place + move] == distance[place] - 1:
                steps.append(letter)
                place += move
                break
    return "".join(steps)


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
