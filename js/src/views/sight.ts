/**
 * Tells which elements are on the screen or near it; all of them where the browser does not say.
 * The callback is called when one of them comes nearer.
 */
export function sight(
  elements: HTMLElement[],
  onEnter: () => void,
  signal: AbortSignal,
): (element: HTMLElement) => boolean {
  const far = new Set<Element>();
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
  for (const element of elements) observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect());
  return (element) => !far.has(element);
}
