"""What operators are told at /metrics."""

import re
import urllib.error
import urllib.request

from support.server import ROOT
from support.waiting import eventually


def metrics_url(server):
    """Where a server that was started with `metrics_listen` tells its numbers."""
    line = eventually(lambda: next((line for line in server.lines if '"message":"metrics"' in line), None))
    return re.search(r"http://[\d.:]+", line)[0] + "/metrics"


def ask(url, credential=None, method="GET", headers=None):
    request = urllib.request.Request(url, method=method, headers=headers or {})
    if credential:
        request.add_header("Authorization", f"Bearer {credential}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def documented():
    """The names of all metrics in docs/METRICS.md."""
    page = (ROOT / "docs/METRICS.md").read_text()
    block = page[page.index("<!-- metrics: begin -->"):page.index("<!-- metrics: end -->")]
    return set(re.findall(r"^\| `(\w+)`", block, re.M))


class Reading:
    """The numbers of one scrape. `reading(name, label=value)` adds up all samples that have the labels."""

    def __init__(self, server):
        status, headers, self.text = ask(metrics_url(server))
        assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")

    def names(self):
        return set(re.findall(r"^# TYPE (\S+)", self.text, re.M))

    def __call__(self, name, **labels):
        lines = re.findall(rf"^{name}(?:\{{(.*)\}})? (\S+)$", self.text, re.M)
        wanted = {f'{key}="{value}"' for key, value in labels.items()}
        found = [float(value) for has, value in lines if wanted <= set(re.findall(r'\w+="[^"]*"', has))]
        assert found, f"there is no {name} with {labels}"
        return sum(found)
