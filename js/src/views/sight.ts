/**
 * Tells whether an element is on the screen or near it; every one is where the browser does not say, or has not said yet.
 * The callback is called when one of those that were asked about comes nearer.
 */
export function sight(onEnter: () => void, signal: AbortSignal): (element: Element) => boolean {
  const [asked, far] = [new Set<Element>(), new Set<Element>()];
  if (!globalThis.IntersectionObserver) return () => true;
  const observer = new IntersectionObserver(
    (entries) => {
      let isNearer = false;
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) isNearer = far.delete(target) || isNearer;
        else far.add(target);
      }
      if (isNearer) onEnter();
    },
    { rootMargin: "200px" },
  );
  signal.addEventListener("abort", () => observer.disconnect());
  return (element) => {
    // Code that is loaded on demand puts its panel in the place of an empty one.
    if (!asked.has(element)) observer.observe(element);
    asked.add(element);
    return !far.has(element);
  };
}
