"""Write the pages of the documentation on remarks, one for each code in the package's list.

`make docs` writes them; they are not kept in the repository.
"""

from __future__ import annotations

from pathlib import Path

from remark_examples import EXAMPLES, outcome
from uqwidgets._utils.remarks import REMARKS

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference" / "remarks"
_BEGINNING = """# Remarks

A remark is a sentence that a reader of the numbers should know. Results have them as
`result.remarks`, and a widget lists them below its views. Every remark has a code, in Python
`remark.code`. In a widget, a page and the picture of a result the code is shown when the pointer
rests on the remark; a review prints it behind the remark.

Each code has a page, which says when remarks of this kind appear, what they mean and what to do.

| code | when it appears |
|---|---|
"""


def index() -> str:
    """Return the page that leads to the others."""
    codes = sorted(REMARKS)
    rows = [f"| [{code}]({code}.md) | {REMARKS[code].when} |" for code in codes]
    toctree = ["```{toctree}", ":hidden:", "", *codes, "```"]
    return _BEGINNING + "\n".join([*rows, "", *toctree, ""])


def page(code: str) -> str:
    """Return the page of a code, with what its example says, if there is a short one."""
    kind = REMARKS[code]
    parts = [
        f"# {code}",
        f"**When it appears.** {kind.when}",
        f"**What it means.** {kind.meaning}",
        f"**What to do.** {kind.advice}",
    ]
    if source := EXAMPLES.get(code):
        remark = next(one for one in outcome(source).remarks if one.code == code)
        parts += ["## An example", f"```python\n{source}\n```", "The remark of this result is:"]
        parts += [f"> {remark}"]
    return "\n\n".join([*parts, "All codes are {doc}`listed here <index>`.\n"])


def write(folder: Path = FOLDER) -> None:
    """Write all pages, and remove those of codes that are gone."""
    folder.mkdir(exist_ok=True)
    texts = {"index": index(), **{code: page(code) for code in REMARKS}}
    for path in folder.glob("*.md"):
        if path.stem not in texts:
            path.unlink()
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
