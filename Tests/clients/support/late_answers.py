"""Answers that reach a page late, after those to questions that it asked later, or never."""

import json


def hold_answer(page, part, method="GET"):
    """The page gets the next answer from an address with this part only after `release_answer`."""
    page.evaluate(f"""{{
        const ask = fetch;
        let isNext = true;
        globalThis.releaseAnswer = null;
        globalThis.fetch = async (address, options) => {{
          const isHeld = isNext && (options.method ?? "GET") === {json.dumps(method)} && address.includes({json.dumps(part)});
          isNext &&= !isHeld;
          const answer = await ask(address, options);
          if (!isHeld) return answer;
          const content = await answer.text();
          await new Promise((go) => (globalThis.releaseAnswer = go));
          return new Response(content, answer);
        }};
    }}""")


def lose_answers(page, part):
    """From now on what the page wants to get from addresses that end with this part fails."""
    page.evaluate(f"""{{
        const ask = fetch;
        globalThis.fetch = async (address, options) => {{
          if ((options.method ?? "GET") === "GET" && address.endsWith({json.dumps(part)})) throw new TypeError("It is lost.");
          return ask(address, options);
        }};
    }}""")


def change_answers(page, part, status, value):
    """From now on the page gets other answers from addresses with this part: what `value` makes of `answer`, in JavaScript."""
    page.evaluate(f"""{{
        const ask = fetch;
        globalThis.fetch = async (address, options) => {{
          const real = await ask(address, options);
          if (!address.includes({json.dumps(part)})) return real;
          const answer = await real.json();
          return new Response(JSON.stringify({value}), {{ status: {status} }});
        }};
    }}""")


def wait_until_held(page):
    page.wait("globalThis.releaseAnswer")


def release_answer(page):
    """Lets the page have it. Returns when the page has made of it what it makes of answers."""
    page.ask("""new Promise((isRead) => {
        releaseAnswer();
        setTimeout(async () => {
          await new Response("").text();
          setTimeout(isRead);
        });
    })""")
