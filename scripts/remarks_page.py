"""Write the page of the documentation on remarks, from their list in the package."""

from __future__ import annotations

from pathlib import Path

from uqwidgets._utils.remarks import REMARKS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "remarks.md"
_BEGINNING = """# Remarks

A remark is a sentence that a reader of the numbers should know. Results have them as
`result.remarks`, and a widget lists them below its views. Every remark has a code, in Python
`remark.code`. In a widget, a page and the picture of a result the code is shown when the pointer
rests on the remark; a review prints it behind the remark.

This page is made from the list in the package by `python scripts/remarks_page.py`.
"""


def page() -> str:
    """Return the page in Markdown: a heading for each code."""
    sections = [
        f"## {code}\n\n"
        f"- **When it appears.** {kind.when}\n"
        f"- **What it means.** {kind.meaning}\n"
        f"- **What to do.** {kind.advice}\n"
        for code, kind in sorted(REMARKS.items())
    ]
    return "\n".join([_BEGINNING, *sections])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
