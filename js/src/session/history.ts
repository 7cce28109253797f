/** Undo history: the past states, the present one, and the undone ones, the nearest first. */
export interface History<State> {
  past: State[];
  present: State;
  future: State[];
  /** Inputs and time of the latest step; the steps of one drag are merged. */
  names: string;
  at: number;
}

const MOST_STEPS = 200;
/** Milliseconds within which further changes of the same inputs belong to the same step. */
const ONE_STEP = 1000;

export const begin = <State>(present: State): History<State> => ({
  past: [],
  present,
  future: [],
  names: "",
  at: 0,
});

/** Names of the entries that differ. */
export function differences<State extends object>(from: State, to: State): string[] {
  const text = (state: State, name: string) => JSON.stringify(Reflect.get(state, name));
  return Object.keys(to).filter((name) => text(from, name) !== text(to, name));
}

/** Returns the history with a new present at a time in milliseconds, unchanged if no entry differs. */
export function record<State extends object>(
  history: History<State>,
  next: State,
  at: number,
): History<State> {
  const differing = differences(history.present, next);
  if (!differing.length) return history;
  // A feature that is left to the kernel, and the one that it chooses later, are no steps of the user.
  const isOpen = (name: string) =>
    name.endsWith("feature") && !(Reflect.get(history.present, name) && Reflect.get(next, name));
  const isChoice = differing.every(isOpen);
  if (isChoice) return { ...history, present: next };
  const names = differing.join();
  const goesOn = names === history.names && at - history.at < ONE_STEP && !history.future.length;
  const past = goesOn ? history.past : [...history.past, history.present].slice(-MOST_STEPS);
  return { past, present: next, future: [], names, at };
}

/** Returns the history one step back or forth, unchanged if there is none. */
export function walk<State>(history: History<State>, back: boolean): History<State> {
  const { past, present, future } = history;
  const next = back ? past.at(-1) : future[0];
  if (next === undefined) return history;
  const steps = back
    ? { past: past.slice(0, -1), future: [present, ...future] }
    : { past: [...past, present], future: future.slice(1) };
  return { ...steps, present: next, names: "", at: 0 };
}
