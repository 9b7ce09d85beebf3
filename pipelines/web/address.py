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

_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class AddressError(ValueError):
    """A URL that is not fetched: another scheme, no host, or an address that is not public."""


def host_of(url: str) -> str:
    """Host, with its port where that is not the scheme's own, lower case: one name for one host,
    whose rules and spacing go by it. AddressError for what is no http(s) URL.

    >>> host_of("https://AtCoder.jp.:443/contests"), host_of("http://127.0.0.1:8000/x")
    ('atcoder.jp', '127.0.0.1:8000')
    >>> host_of("http://[::1]:8000/")
    '[::1]:8000'
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
    host = parts.hostname.lower().rstrip(".")
    host = f"[{host}]" if ":" in host else host
    return host if port in (None, _PORTS[parts.scheme]) else f"{host}:{port}"


def name_of(host: str) -> str:
    """A host without its port.

    >>> name_of("[::1]:8000"), name_of("atcoder.jp")
    ('[::1]', 'atcoder.jp')
    """
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and not name.endswith(":") else host


def is_public(address: str) -> bool:
    """Whether an address can be reached from anywhere. An IPv4 address inside an IPv6 one (mapped,
    compatible, 6to4, Teredo, NAT64) counts as itself: a gateway would send us there.

    >>> is_public("1.1.1.1"), is_public("64:ff9b::10.0.0.1"), is_public("2002:7f00:1::")
    (True, False, False)
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
        if ip in _NAT64 or int(ip) < 2**32:
            inner.append(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
        if any(v4 is not None and not is_public(str(v4)) for v4 in inner):
            return False
        if ip.ipv4_mapped is not None:
            return True
    return ip.is_global and not ip.is_multicast


def check_public(host: str, addresses: Iterable[str], allowed: Collection[str]) -> None:
    """AddressError unless the host is in `allowed` or all its addresses are public.

    >>> check_public("evil.example", ["169.254.169.254"], ())
    Traceback (most recent call last):
    pipelines.web.address.AddressError: evil.example is 169.254.169.254, which is not a public ...
    """
    if host in allowed:
        return
    for address in addresses:
        if not is_public(address):
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
        except (OSError, UnicodeError) as e:  # a label over 63 characters is a UnicodeError
            raise httpcore.ConnectError(f"{host}: {e}") from e
        addresses = list(dict.fromkeys(str(info[4][0]) for info in found))
        name = host.lower().rstrip(".")
        name = f"[{name}]" if ":" in name else name
        # a host that the config names with its port is named with that port only
        named = name in self.allowed or f"{name}:{port}" in self.allowed
        check_public(name, addresses, (name,) if named else ())
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
        network_backend=_GuardedBackend(frozenset(allowed)),
    )
    return httpx.Client(
        transport=transport,
        headers=headers,
        timeout=timeout_s,
        follow_redirects=False,
        trust_env=False,
    )
