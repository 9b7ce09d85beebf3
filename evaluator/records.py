"""Reading a child's note in the controller: untrusted bytes into records (see evaluator.child)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_HEAD = struct.Struct("=cQQI")
_KINDS = frozenset(b"MSCTVXADP")


@dataclass(frozen=True, slots=True)
class Record:
    """`output_end`: the size of standard output when it was written."""

    kind: str
    seconds: float
    output_end: int
    payload: bytes


def parse(note: bytes, nonce: bytes, most: int) -> list[Record]:
    """The records up to the first byte that is none, at most `most`.

    >>> parse(b"junk", bytes(16), 10)
    []
    """
    found: list[Record] = []
    at = 0
    while len(found) < most and note.startswith(nonce, at):
        at += len(nonce)
        if at + _HEAD.size > len(note):
            break
        kind, micros, end, size = _HEAD.unpack_from(note, at)
        at += _HEAD.size
        if kind[0] not in _KINDS or at + size > len(note):
            break
        found.append(Record(kind.decode(), micros / 1e6, end, note[at : at + size]))
        at += size
    return found
