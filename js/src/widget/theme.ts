/** Lightness of a colour in [0, 1] from dark to light, null for a transparent colour. */
export function lightness(colour: string): number | null {
  // In `color(display-p3 r g b)` the first word names a space.
  const parts = (colour.replace(/^color\(\S+/, "").match(/-?[\d.]+(?:e-?\d+)?%?/gi) ?? []).map(
    (text) => (text.endsWith("%") ? Number.parseFloat(text) / 100 : Number.parseFloat(text)),
  );
  const [a = 0, b = 0, c = 0] = parts;
  const alpha = parts[3] ?? 1;
  if (colour === "transparent" || parts.length < 3 || alpha < 0.5) return null;
  const name = colour.slice(0, colour.indexOf("("));
  if (name === "oklab" || name === "oklch") return a;
  if (name === "lab" || name === "lch") return a / 100;
  const scale = name.startsWith("rgb") ? 255 : 1;
  return (0.2126 * a + 0.7152 * b + 0.0722 * c) / scale;
}

/** The effective background colour of an element; it is computed, because hosts differ in their class names. */
export function backgroundOf(element: Element): string | null {
  let at: Node | null = element.parentNode;
  while (at) {
    if (at instanceof ShadowRoot) at = at.host;
    else {
      if (at instanceof Element) {
        const colour = getComputedStyle(at).backgroundColor;
        if (lightness(colour) !== null) return colour;
      }
      at = at.parentNode;
    }
  }
  return null;
}

const DARK = "(prefers-color-scheme: dark)";
const FORCED = "(forced-colors: active)";

function resolve(root: HTMLElement): void {
  const background = backgroundOf(root);
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  const prefersDark = matchMedia(DARK).matches;
  // A page without background shows the browser's canvas, which is dark only if the page allows it.
  const dark = background
    ? (lightness(background) ?? 1) < 0.5
    : scheme.includes("dark") && (prefersDark || !scheme.includes("light"));
  root.dataset.theme = dark ? "dark" : "light";
  if (background) root.style.setProperty("--uq-page", background);
  else root.style.removeProperty("--uq-page");
}

/** Keeps `data-theme` and the page colour on the root equal to those of the host. */
export function followTheme(root: HTMLElement, onChange: () => void, signal: AbortSignal): void {
  let shown = "";
  const update = () => {
    if (!root.isConnected) return;
    resolve(root);
    // What is painted on a canvas does not follow forced colours by itself.
    const forced = matchMedia(FORCED).matches;
    const now = `${root.dataset.theme} ${root.style.getPropertyValue("--uq-page")} ${forced}`;
    if (now === shown) return;
    shown = now;
    onChange();
  };
  // Hosts change an attribute first and the colours later, so the colours are read again after a delay.
  let later: ReturnType<typeof setTimeout> | undefined;
  const updateTwice = () => {
    update();
    clearTimeout(later);
    later = setTimeout(update, 400);
  };
  const observer = new MutationObserver(updateTwice);
  for (const element of [document.documentElement, document.body])
    observer.observe(element, { attributes: true });
  // The root is often rendered before it is attached; it gets its first size when it is.
  const attached = new ResizeObserver(update);
  attached.observe(root);
  for (const query of [DARK, FORCED])
    matchMedia(query).addEventListener("change", updateTwice, { signal });
  signal.addEventListener("abort", () => {
    observer.disconnect();
    attached.disconnect();
    clearTimeout(later);
  });
  update();
}
