import type { HostModel } from "./session.ts";

interface Initialize {
  model: HostModel;
  signal: AbortSignal;
}

interface Render extends Initialize {
  el: HTMLElement;
}

/**
 * Makes the factory that hosts call once per model; the views of a model share the session that `open` makes, which
 * ends with the model.
 */
export const widget =
  <S>(open: (at: Initialize) => S, draw: (session: S, at: Render) => void) =>
  () => {
    let session: S | null = null;
    return {
      initialize(at: Initialize): void {
        session = open(at);
      },
      render(at: Render): void {
        session ??= open(at);
        draw(session, at);
      },
    };
  };
