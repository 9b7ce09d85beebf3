"""What robots.txt allows (RFC 9309), and how long it asks to wait between two requests."""

from __future__ import annotations

from protego import Protego

#: The name by which robots.txt can address us.
PRODUCT = "MicroCoder"
#: A robots.txt that allows nothing.
FORBIDDEN = "User-agent: *\nDisallow: /\n"


class Robots:
    """The rules of one host.

    >>> robots = Robots("User-agent: *\\nDisallow: /x\\nCrawl-delay: 3")
    >>> robots.allows("https://e.example/x/1"), robots.allows("https://e.example/y"), robots.delay
    (False, True, 3.0)
    """

    def __init__(self, text: str) -> None:
        self._rules = Protego.parse(text.removeprefix("\ufeff"))

    def allows(self, url: str) -> bool:
        """Whether a URL of the host may be fetched."""
        return bool(self._rules.can_fetch(url, PRODUCT))

    @property
    def delay(self) -> float:
        """Seconds that the host wants between two requests; 0 when it says nothing."""
        rate = self._rules.request_rate(PRODUCT)
        each = rate.seconds / rate.requests if rate and rate.requests else 0.0
        return max(float(self._rules.crawl_delay(PRODUCT) or 0.0), each)
