"""Bot checks and login walls: recognised, so that they are never taken for a problem. They come
with any status, 200 included. Nothing here or elsewhere gets around one."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

#: Only the head of a page is looked at: the signs are there, and statements may quote anything.
_HEAD = 65_536

#: Markup that only checks have. Cloudflare also puts challenge-platform/scripts/jsd into ordinary
#: pages, so that alone says nothing.
_MARKUP = tuple(
    (re.compile(pattern, re.I), what)
    for pattern, what in (
        (
            r"cf-chl-|_cf_chl_opt|cf_chl_prog|challenge-platform/h/\w+/orchestrate"
            r"|cf-browser-verification|id=\"challenge-(?:form|running|stage|error-text)",
            "a bot check (Cloudflare)",
        ),
        (r"_Incapsula_Resource", "a bot check (Imperva)"),
        (r"/_sec/cp_challenge", "a bot check (Akamai)"),
        (r"captcha-delivery\.com", "a bot check (DataDome)"),
        (r"px-captcha", "a bot check (PerimeterX)"),
        (r"AwsWafIntegration|awsWafCookieDomainList", "a bot check (AWS WAF)"),
        (r"sucuri_cloudproxy_js", "a bot check (Sucuri)"),
        (r"ddos-guard", "a bot check (DDoS-Guard)"),
        (r"tonumbers\(\s*[\"'][0-9a-f]{32}|slowAES\.", "a browser check (cookie script)"),
        (r"g-recaptcha|h-captcha|hcaptcha\.com/1|cf-turnstile|turnstile/v0/api", "a captcha"),
    )
)
_TEXT = re.compile(
    r"just a moment|attention required|enable javascript and cookies to continue"
    r"|checking (?:if the site|your browser)|browser (?:is being checked|check\b|verification)"
    r"|ddos protection by|are you a (?:human|robot)|not a robot"
    r"|(?:verify|verifying|prove|confirm)(?: that)? you(?:'re| are) (?:a )?(?:human|not a)"
    r"|security check to access|unusual traffic|automated (?:access|requests|queries)"
    r"|pardon our interruption|access (?:to this page has been )?denied|human verification"
    r"|complete the captcha|проверка браузера|проверяем ваш браузер",
    re.I,
)
_HIDDEN = re.compile(r"<(script|style)\b.*?</\1\s*>", re.I | re.S)
_PASSWORD = re.compile(r"<input[^>]+type\s*=\s*[\"']?password", re.I)
_LOGIN_TEXT = re.compile(
    r"(?:you (?:must|need to|have to)|please) (?:first )?(?:be )?(?:log(?:ged)?|sign(?:ed)?) ?in\b"
    r"|log-?in (?:is )?required",
    re.I,
)
_CONTENT = re.compile(r"problem-statement|task-statement|question-content", re.I)
_LOGIN_URL = re.compile(r"/(?:log[-_]?in|sign[-_]?in|enter|accounts?/login)(?:[/?]|$)", re.I)


def challenge(status: int, headers: Mapping[str, str], body: str, url: str = "") -> str | None:
    """What stands in place of the content, in words; None for a page that may be content. `url`
    is where redirects ended. JSON is never a check: its texts may be anything.

    >>> challenge(200, {}, "<title>Just a moment...</title>")
    'a bot check (just a moment)'
    >>> challenge(200, {}, "<div class='problem-statement'>Sum</div>") is None
    True
    """
    if headers.get("cf-mitigated", "").lower() == "challenge":
        return "a bot check (Cloudflare)"
    if (what := headers.get("x-amzn-waf-action", "").lower()) in ("challenge", "captcha"):
        return f"a bot check (AWS WAF {what})"
    if status == 401:
        return "a login page"
    if body.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") or _CONTENT.search(body):
        return None
    head = body[:_HEAD]
    for pattern, what in _MARKUP:
        if pattern.search(head):
            return what
    text = html.unescape(re.sub(r"<[^<>]{0,2000}>", " ", _HIDDEN.sub(" ", head)))
    text = re.sub(r"\s+", " ", text.replace("\u2019", "'"))
    if found := _TEXT.search(text):
        return f"a bot check ({found[0].lower()})"
    if status in (404, 410):  # a site may have its login form on every page
        return None
    if _LOGIN_URL.search(url) or _PASSWORD.search(head) or _LOGIN_TEXT.search(text):
        return "a login page"
    return None
