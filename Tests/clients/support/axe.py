"""axe-core, which looks for what people with disabilities cannot use or understand in a page."""

import functools

from support.browser_client import JS

RUN = """axe.run(document, { resultTypes: ['violations'], iframes: false, %s }).then(({ violations }) => violations.flatMap(
  ({ id, nodes }) => nodes.map(({ html, any, all, none }) => (
    `${id}: ${html.slice(0, 110)} ${[...any, ...all, ...none].map(({ message }) => message.slice(0, 160))}`))))"""


@functools.cache
def axe():
    """axe.min.js, which Tests/clients/prepare.sh takes out of a published wheel."""
    script = JS.parents[2] / ".venv/browser-client/axe.min.js"
    assert script.exists(), f"{script} is missing; run Tests/clients/prepare.sh"
    return script.read_text()


def violations_as_shown(page, rules=""):
    """What axe finds in the page as it is now."""
    if not page.evaluate("typeof globalThis.axe === 'object'"):
        page.evaluate(axe() + "; 0")
    page.evaluate("for (const animation of document.getAnimations()) if (animation.effect.getComputedTiming().endTime !== Infinity) animation.finish(); 0")
    return page.evaluate(RUN % rules)


def violations(page):
    """What axe finds in the page in light and in dark, where only colours are others."""
    found = []
    for scheme, rules in ("light", ""), ("dark", "runOnly: ['color-contrast']"):
        page.prefer(scheme)
        found += [f"{scheme}: {violation}" for violation in violations_as_shown(page, rules)]
    return found
