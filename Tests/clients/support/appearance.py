"""What looks at a page's appearance: `appearance.js`, to be evaluated in the page."""

from pathlib import Path

APPEARANCE = (Path(__file__).parent / "appearance.js").read_text()
