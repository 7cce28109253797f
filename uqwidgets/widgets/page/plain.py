"""A plain page: the present view and the pins as pictures and tables, without any script."""

from __future__ import annotations

from datetime import date

from uqwidgets.plotting.html import Markup, element, words
from uqwidgets.widgets.page.assembly import Steps
from uqwidgets.widgets.page.document import without_copies
from uqwidgets.widgets.page.plan import Plan
from uqwidgets.widgets.page.review import picture_of, review, reviewed_views
from uqwidgets.widgets.picture.static_page import page_text

#: What is reported while the pictures are drawn, and while the tables are made.
PICTURES, REVIEW = "pictures", "review"

_STYLE = """
td, th { padding: 1px 10px 1px 0; text-align: start; vertical-align: top; overflow-wrap: anywhere; }
caption { font-weight: bold; padding-top: 8px; text-align: start; }
.uq-scroll { overflow-x: auto; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
"""


def plain_page(
    plan: Plan, steps: Steps, *, title: str, author: str | None, note: str | None
) -> tuple[str, str]:
    """Return the HTML of a plain page, and a sentence on what it holds of the rows.

    Parameters
    ----------
    plan : Plan
    steps : Steps
    title, author, note : str
        Texts of its head.
    """
    models, shown, _, pins, options = plan
    steps.total = n_steps(plan)
    head = [element("h1", words(title))]
    head += [element("p", words(author))] if author else []
    today = date.today().isoformat()
    head.append(element("p", element("time", words(today), datetime=today)))
    head += [element("p", words(note), style="white-space:pre-line")] if note else []
    steps.next(REVIEW)

    def check() -> None:
        steps.next("")

    reviewed = reviewed_views(models, shown, [pin["note"] for pin in pins], check)
    names = ["The present view", *(f"Pin {i + 1}" for i in range(len(pins)))]
    sections = []
    for name, view in zip(names, reviewed, strict=True):
        steps.next(PICTURES)
        heading = element("h2", words(f"{name}: {view.title}"))
        about = element("p", words(view.description if view.note.strip() else ""))
        picture = Markup(without_copies(picture_of(models, view, check)))
        sections.append(element("section", heading, about, picture))
    # The pins stand above as sections, in the order of the reading path.
    after = review(models, reviewed, options.intervals).after
    body = [element("header", *head), *sections, after]
    return page_text("".join(body), title, _STYLE), _rows_held(plan)


def n_steps(plan: Plan) -> int:
    """Return the number of steps of the work."""
    return len(plan.shown) + 1


def _rows_held(plan: Plan) -> str:
    """Return a sentence on the values of single rows that the pictures show."""
    of_lines = [view.name for view in plan.session(0).views if "ice_lines" in view.reads]
    for inputs in plan.shown:
        if inputs.ice_lines and any(inputs.shows(name) for name in of_lines):
            return "It shows curves of single rows; lines=0 leaves no row in it."
    return "It holds no row: averages, shares of rows and grids of values."
