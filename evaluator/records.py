"""Reading a child's note in the controller: untrusted bytes into records (see evaluator.child)."""

from __future__ import annotations

import struct
from typing import NamedTuple

_COUNTS = struct.Struct("=II")
_HEAD = struct.Struct("=cQQI")
_KINDS = frozenset(b"MCVXADPT")


class Record(NamedTuple):
    """`output_end`: the size of standard output when it was written."""

    kind: str
    seconds: float
    output_end: int
    payload: bytes


class Note(NamedTuple):
    """`ended`: tests that ended well, each with its record; a further record is of the test that
    the process ended in. `stopped`: it took no further test. `whole`: False when the program has
    written into it."""

    ended: int
    stopped: bool
    records: list[Record]
    whole: bool = True


def parse(note: bytes, nonce: bytes, most: int) -> Note:
    """The note up to the first byte that makes no sense, at most `most` records.

    >>> parse(b"junk", bytes(16), 10)
    Note(ended=0, stopped=False, records=[], whole=False)
    """
    found: list[Record] = []
    if len(note) < _COUNTS.size:
        return Note(0, False, found, whole=not note)
    ended, stopped = _COUNTS.unpack_from(note)
    at, skip, size = _COUNTS.size, len(nonce), len(note)
    while len(found) < most and note.startswith(nonce, at):
        at += skip
        if at + _HEAD.size > size:
            break
        kind, micros, end, length = _HEAD.unpack_from(note, at)
        at += _HEAD.size
        if kind[0] not in _KINDS or at + length > size:
            break
        found.append(Record(chr(kind[0]), micros / 1e6, end, note[at : at + length]))
        at += length
    if ended > len(found):
        return Note(len(found), False, found, whole=False)
    return Note(ended, bool(stopped) and ended > 0, found)
