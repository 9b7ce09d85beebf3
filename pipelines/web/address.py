"""Where a crawler may connect: http(s) to public addresses, unless the config names the host.

The check is made on the address that is connected to, not on the name: a name that resolves to
127.0.0.1 or to a cloud's metadata service is refused, as is a redirect to one.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection, Iterable
from typing import Any
from urllib.parse import urlsplit

import httpcore
import httpx


class AddressError(ValueError):
    """A URL that is not fetched: another scheme, no host, or an address that is not public."""


def host_of(url: str) -> str:
    """Host with its port where one is given, lower case; AddressError for what is no http(s) URL.

    >>> host_of("https://AtCoder.jp/contests"), host_of("http://127.0.0.1:8000/x")
    ('atcoder.jp', '127.0.0.1:8000')
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as e:
        raise AddressError(f"{url!r:.200}: not a URL ({e})") from None
    if parts.scheme not in ("http", "https"):
        raise AddressError(f"{url!r:.200}: only http and https are fetched")
    if not parts.hostname or parts.username is not None:
        raise AddressError(f"{url!r:.200}: a host and no user name is needed")
    return parts.hostname.lower() + (f":{port}" if port else "")


def check_public(host: str, addresses: Iterable[str], allowed: Collection[str]) -> None:
    """AddressError unless the host is in `allowed` or all its addresses are public.

    >>> check_public("evil.example", ["169.254.169.254"], ())
    Traceback (most recent call last):
    pipelines.web.address.AddressError: evil.example is 169.254.169.254, which is not a public ...
    """
    if host in allowed:
        return
    for address in addresses:
        ip = ipaddress.ip_address(address.partition("%")[0])
        mapped = getattr(ip, "ipv4_mapped", None)
        if not (mapped or ip).is_global or (mapped or ip).is_multicast:
            raise AddressError(
                f"{host} is {address}, which is not a public address; name the host in allow_hosts "
                "if you mean it"
            )


class _GuardedBackend(httpcore.SyncBackend):
    def __init__(self, allowed: Collection[str]) -> None:
        super().__init__()
        self.allowed = allowed

    def connect_tcp(self, host: str, port: int, *args: Any, **kwargs: Any) -> Any:
        """Resolve once, check, and connect to what was checked."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as e:
            raise httpcore.ConnectError(f"{host}: {e}") from e
        addresses = list(dict.fromkeys(str(info[4][0]) for info in found))
        check_public(host.lower(), addresses, self.allowed)
        error: Exception = httpcore.ConnectError(f"{host}: no address")
        for address in addresses:
            try:
                return super().connect_tcp(address, port, *args, **kwargs)
            except httpcore.ConnectError as e:
                error = e
        raise error


def guarded_client(allowed: Collection[str], headers: dict[str, str], timeout_s: float) -> Any:
    """An httpx client with one connection a host, no proxies from the environment, no redirects
    of its own, that connects to public addresses and to the hosts in `allowed` only."""
    transport = httpx.HTTPTransport(trust_env=False)
    transport._pool.close()
    transport._pool = httpcore.ConnectionPool(
        ssl_context=httpx.create_ssl_context(trust_env=False),
        max_connections=1,
        max_keepalive_connections=1,
        network_backend=_GuardedBackend(frozenset(h.partition(":")[0] for h in allowed)),
    )
    return httpx.Client(
        transport=transport,
        headers=headers,
        timeout=timeout_s,
        follow_redirects=False,
        trust_env=False,
    )
