import type { HostModel } from "../session/session.ts";

interface Initialize {
  model: HostModel;
  signal: AbortSignal;
}

interface Render extends Initialize {
  el: HTMLElement;
}

/** What a host passes: marimo 0.16 has no signal. */
type Passed<T extends Initialize> = Omit<T, "signal"> & Partial<Initialize>;

const withSignal = <T extends Initialize>(at: Passed<T>): T =>
  ({ ...at, signal: at.signal ?? new AbortController().signal }) as T;

/**
 * Makes the factory that hosts call once per model; the views of a model share the session that `open` makes, which
 * ends with the model.
 */
export const widget =
  <S>(open: (at: Initialize) => S, draw: (session: S, at: Render) => void) =>
  () => {
    let session: S | null = null;
    return {
      initialize(at: Passed<Initialize>): void {
        session = open(withSignal<Initialize>(at));
      },
      render(passed: Passed<Render>): void {
        const at = withSignal<Render>(passed);
        session ??= open(at);
        draw(session, at);
      },
    };
  };
