# A suffix automaton with the first and the last place at which the strings of each state end.
import sys


def solve(text):
    song = text.strip()
    length, link, follow, first, last = [0], [-1], [{}], [0], [0]
    state = 0
    for i, note in enumerate(song):
        new = len(length)
        length.append(length[state] + 1)
        link.append(0)
        follow.append({})
        first.append(i)
        last.append(i)
        p, state = state, new
        while p >= 0 and note not in follow[p]:
            follow[p][note] = new
            p = link[p]
        if p < 0:
            continue
        q = follow[p][note]
        if length[q] == length[p] + 1:
            link[new] = q
            continue
        clone = len(length)
        length.append(length[p] + 1)
        link.append(link[q])
        follow.append(dict(follow[q]))
        first.append(first[q])
        last.append(first[q])
        while p >= 0 and follow[p].get(note) == q:
            follow[p][note] = clone
            p = link[p]
        link[q] = link[new] = clone
    best, end = 0, 0
    for s in sorted(range(1, len(length)), key=length.__getitem__, reverse=True):
        last[link[s]] = max(last[link[s]], last[s])
        size = min(length[s], last[s] - first[s])
        if size > best:
            best, end = size, first[s] + 1
    return song[end - best : end] or "NONE"


if __name__ == "__main__":
    print(solve(sys.stdin.read()))
