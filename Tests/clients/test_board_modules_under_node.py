"""The board's modules that need no page: how touches glide, how changes are synced, what goes over the wire."""

import shutil
import subprocess

import pytest

from support.browser_client import JS

PAGE = JS.parents[2] / "Sources/Board/page"
VECTORS = JS.parents[2] / "docs/protocol/binary-ticks.json"
TEXT_VECTORS = JS.parents[2] / "docs/text-edits.json"
TESTS = sorted((JS / "board").glob("*.test.mjs"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The page as a package of ES modules, which Node tells by a file that browsers have no use for."""
    folder = tmp_path_factory.mktemp("board")
    shutil.copytree(PAGE, folder / "page")
    (folder / "package.json").write_text('{"type": "module"}')
    for file in (*(JS / "board").glob("*.mjs"), VECTORS, TEXT_VECTORS):
        shutil.copy(file, folder)
    return folder


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name.split(".")[0])
def test_module(folder, test):
    run = subprocess.run(["node", "--test", test.name], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
