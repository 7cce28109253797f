/** Milliseconds between two messages to the kernel while τ moves under the hand, and until it counts as resting. */
const PAUSE = 250;

/** Seconds of an exact answer from which on the kernel hears of τ only where the hand rests. */
const SLOW = 0.5;

/** About how many seconds a row adds to an exact answer; a guess, until one is measured. */
const PER_ROW = 2e-6;

/**
 * The τ of a slider while the kernel has not received it.
 *
 * The panels are painted from levels that are there, so the exact answers of the kernel are for whatever else follows
 * τ. They come a few times a second, and take at most half of the kernel's time. Where one takes long, the kernel
 * would compete with the browser for the processor; then it hears of τ when the hand rests.
 *
 * `tell` is called when the kernel is to hear of τ.
 */
export function hand(tell: () => void) {
  let held: { tau?: number } = {};
  /** Seconds of the last exact answer to a level: infinite until it has come, 0 before the first. */
  let last = 0;
  let rest: ReturnType<typeof setTimeout> | undefined;
  let next: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(rest);
    clearTimeout(next);
    next = undefined;
  };
  return {
    held: () => held,
    move(tau: number, nRows: number): void {
      const seconds = last || PER_ROW * nRows;
      held = { tau };
      clearTimeout(rest);
      rest = setTimeout(tell, PAUSE);
      if (seconds <= SLOW) next ??= setTimeout(tell, Math.max(PAUSE, 2000 * seconds));
    },
    /** Returns the changes of a request with the τ, which the hand then no longer holds. */
    take<Changes extends object>(changes: Changes): Changes {
      const all = { ...held, ...changes };
      close();
      if ("tau" in held) last = Number.POSITIVE_INFINITY;
      held = {};
      return all;
    },
    /** Everything that was requested has its complete answer, which took so many seconds. */
    answered(seconds: number): void {
      if (last === Number.POSITIVE_INFINITY) last = seconds;
    },
    close,
  };
}
