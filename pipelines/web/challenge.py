"""Bot checks and login walls: recognised, so that they are never taken for a problem. They come
with any status, 200 included. Nothing here or elsewhere gets around one."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: Only the head of a page is looked at: the signs are there, and statements may quote anything.
_HEAD = 20_000

_CHECKS = tuple(
    (re.compile(pattern, re.I), what)
    for pattern, what in (
        (r"<title>\s*just a moment", "a bot check (Cloudflare)"),
        (r"attention required!\s*\|\s*cloudflare", "a bot check (Cloudflare)"),
        (r"cf-chl-|challenge-platform|cf_chl_opt", "a bot check (Cloudflare)"),
        (r"enable javascript and cookies to continue", "a bot check"),
        (r"(?:your|the) browser is being checked|checking your browser", "a browser check"),
        (r"ddos-guard|ddos protection by", "a bot check"),
        (r"tonumbers\(\s*[\"'][0-9a-f]{32}", "a browser check (cookie script)"),
        (r"g-recaptcha|h-captcha|hcaptcha\.com/1|turnstile/v0/api", "a captcha"),
        (
            r"<title>[^<]*(?:captcha|access denied|are you a robot|human verification)",
            "a bot check",
        ),
    )
)
_PASSWORD = re.compile(r"<input[^>]+type\s*=\s*[\"']?password", re.I)
_CONTENT = re.compile(r"problem-statement|task-statement|question-content", re.I)
_LOGIN_URL = re.compile(r"/(?:log[-_]?in|sign[-_]?in|enter|accounts?/login)(?:[/?]|$)", re.I)


def challenge(status: int, headers: Mapping[str, str], body: str, url: str = "") -> str | None:
    """What stands in place of the content, in words; None for a page that may be content. `url`
    is where redirects ended.

    >>> challenge(200, {}, "<title>Just a moment...</title>")
    'a bot check (Cloudflare)'
    >>> challenge(200, {}, "<div class='problem-statement'>Sum</div>") is None
    True
    """
    if headers.get("cf-mitigated", "").lower() == "challenge":
        return "a bot check (Cloudflare)"
    head = body[:_HEAD]
    has_content = _CONTENT.search(body) is not None
    if not has_content:
        for pattern, what in _CHECKS:
            if pattern.search(head):
                return what
    if not has_content and (_LOGIN_URL.search(url) or _PASSWORD.search(head)):
        return "a login page"
    if status == 401:
        return "a login page"
    return None
