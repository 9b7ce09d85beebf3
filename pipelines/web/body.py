"""Reading an answer's body within bounds: bytes on the wire, bytes unpacked, seconds."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable

import httpx


class BodyError(ValueError):
    """A body that is not taken. `reason` is a fixed word; `transient` says that another try may
    end better."""

    def __init__(self, reason: str, message: str, transient: bool = False) -> None:
        super().__init__(message)
        self.reason = reason
        self.transient = transient


def read_body(
    response: httpx.Response,
    max_bytes: int,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> bytes:
    """The unpacked body. Unpacking stops at `max_bytes`, so a gzip bomb costs that much and no
    more (httpx's own decoders have no bound). Raises BodyError, httpx.TransportError."""
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise BodyError(
            "bad_encoding", f"answer comes as {encoding!r:.60}, which was not asked for"
        )
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32) if encoding not in ("", "identity") else None
    until = clock() + seconds
    parts: list[bytes] = []
    size = 0
    for chunk in response.iter_raw():
        if unpack is not None:
            try:
                chunk = unpack.decompress(chunk, max_bytes + 1 - size)
            except zlib.error as e:
                raise BodyError("bad_encoding", f"body is not valid {encoding} ({e})", True) from e
        size += len(chunk)
        if size > max_bytes:
            raise BodyError("too_large", f"body is over {max_bytes} bytes")
        if clock() > until:
            raise BodyError("timeout", f"body was not there after {seconds:g} s", True)
        parts.append(chunk)
        if unpack is not None and unpack.eof:
            break  # what follows the stream is not part of the page
    if unpack is not None and size and not unpack.eof:
        raise BodyError("incomplete", f"{encoding} stream ends early", True)
    return b"".join(parts)
