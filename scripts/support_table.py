"""Write the README's table of hosts from what the tests in `tests/hosts` recorded.

`make support` runs those tests in every host and browser; each writes a file to docs/hosts. The
folder `older` in it has the results in older releases, which the tests install one by one.
"""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "docs" / "hosts"
#: The first step of a round.
SHOWS = "shows Python's numbers"
BEGIN, END = "<!-- hosts: begin -->", "<!-- hosts: end -->"


def records() -> list[dict[str, object]]:
    """Return the records, sorted by host, release and browser."""
    files = [*RECORDS.glob("*.json"), *RECORDS.glob("older/*.json")]
    each = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    return sorted(
        each,
        key=lambda record: (
            record["host"].lower(),
            [int(number) for number in record["version"].split(".") if number.isdigit()],
            record["browser"],
        ),
    )


def outcome(record: dict[str, object]) -> str:
    """Say whether all steps passed, or which did not; after the first, no other is tried."""
    faults = [step for step, became in record["steps"].items() if became != "yes"]
    if SHOWS in faults:
        return "no"
    return "yes" if not faults else f"all but: {', '.join(faults)}"


def table() -> str:
    """Return one line for each host, with its version, the browsers, and the date."""
    rows: dict[str, dict[str, str]] = {}
    for record in records():
        cells = rows.setdefault(f"{record['host']} {record['version']}", {})
        cells[record["browser"]] = outcome(record)
        cells["date"] = max(record["date"], cells.get("date", ""))
    lines = ["| Host | Chromium | Firefox | WebKit | tested on |", "|---|---|---|---|---|"]
    for host, cells in rows.items():
        of = [cells.get(browser, "not tried") for browser in ("chromium", "firefox", "webkit")]
        lines.append(f"| {host} | {' | '.join(of)} | {cells['date']} |")
    return "\n".join(lines)


def with_table(text: str) -> str:
    """Return the README with the table between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(with_table(readme.read_text(encoding="utf-8")), encoding="utf-8")
