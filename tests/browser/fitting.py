"""What does not fit into a widget: scripts that return one text for each fault."""

from __future__ import annotations

# What is drawn beyond the widget, and boxes whose content is wider than they are.
OUTSIDE = """(root) => {
  const box = root.getBoundingClientRect();
  const marks = "button, select, input, h2, h3, label, p, svg text, table";
  const apart = ".uq-sr, .uq-clip, .uq-table-scroll, .uq-confusion-scroll, .uq-ends";
  const outside = [...root.querySelectorAll(marks)]
    .filter((element) => element.checkVisibility() && !element.closest(apart))
    .filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return right > box.right + 1 || left < box.left - 1;
    })
    .map((element) => element.outerHTML.slice(0, 120));
  const wide = [...root.querySelectorAll(".uq-panel, .uq-population, .uq-header, .uq-panel-head")]
    .filter((element) => element.scrollWidth > element.clientWidth + 1)
    .map((element) => `${element.className} ${element.scrollWidth} > ${element.clientWidth}`);
  return [...outside, ...wide];
}"""
OVERLAPS = """(root) => {
  const shown = [...root.querySelectorAll("button, select, input:not([type=range]), h2, h3")]
    .filter((element) => element.getClientRects().length > 0)
    .filter((element) => !element.closest(".uq-importance-scroll, .uq-checks"));
  const boxes = shown.map((element) => [element, element.getBoundingClientRect()]);
  const overlaps = [];
  boxes.forEach(([one, a], i) => {
    for (const [other, b] of boxes.slice(i + 1)) {
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (width > 1 && height > 1)
        overlaps.push(`${one.outerHTML.slice(0, 80)} over ${other.outerHTML.slice(0, 80)}`);
    }
  });
  return overlaps;
}"""
# Texts of the list of importance that lie over each other or outside, and words that are cut.
LISTED = """(root) => {
  const list = root.querySelector(".uq-importance-scroll");
  const parts = [...list.querySelectorAll(".uq-name, .uq-badge, .uq-sort, .uq-muted, svg text")]
    .filter((element) => element.checkVisibility() && element.textContent.trim());
  const boxes = parts.map((element) => [element, element.getBoundingClientRect()]);
  const faults = [];
  boxes.forEach(([one, a], i) => {
    for (const [other, b] of boxes.slice(i + 1)) {
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (width > 1 && height > 3)
        faults.push(`"${one.textContent}" over "${other.textContent}"`);
    }
  });
  for (const svg of list.querySelectorAll("svg")) {
    const { left, right } = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll("text")) {
      const inner = text.getBoundingClientRect();
      if (inner.width > 0 && (inner.left < left - 1 || inner.right > right + 1))
        faults.push(`"${text.textContent}" leaves its column`);
    }
  }
  for (const element of list.querySelectorAll(".uq-sort, .uq-muted"))
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      faults.push(`"${element.textContent}" is cut`);
  return faults;
}"""
