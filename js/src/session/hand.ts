/** Milliseconds between two messages to the kernel while τ moves under the hand, and until it counts as resting. */
const PAUSE = 250;

/** Seconds of an exact answer from which on the kernel hears of τ only where the hand rests. */
const SLOW = 0.5;

/** About how many seconds a row adds to an exact answer; a guess, until one is measured. */
const PER_ROW = 1e-5;

/**
 * The τ of a slider while the kernel has not received it.
 *
 * The panels are painted from levels that are there, so the exact answers of the kernel are for whatever else follows
 * τ. They come a few times a second, and take at most half of the kernel's time. Where one takes long, the kernel
 * would compete with the browser for the processor. Then it hears of τ when the hand rests, and its work in the
 * background waits while the hand moves.
 *
 * `tell` is called when the kernel is to hear of τ, and `begin` when a hand begins to move the τ of a slow kernel.
 */
export function hand(tell: () => void, begin: () => void) {
  let held: { tau?: number } = {};
  /** Seconds of the last exact answer to a level, 0 before the first; and whether one is to come. */
  let last = 0;
  let isWaiting = false;
  /** Whether the kernel knows that the hand moves. */
  let hasBegun = false;
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
      const isSlow = seconds > SLOW;
      if (isSlow && !hasBegun) begin();
      hasBegun = isSlow;
      if (!isSlow && !isWaiting) next ??= setTimeout(tell, Math.max(PAUSE, 2000 * seconds));
      held = { tau };
      clearTimeout(rest);
      rest = setTimeout(tell, PAUSE);
    },
    /** Returns the changes of a request with the τ, which the hand then no longer holds. */
    take<Changes extends object>(changes: Changes): Changes {
      const all = { ...held, ...changes };
      close();
      isWaiting ||= "tau" in held;
      held = {};
      hasBegun = false;
      return all;
    },
    /** Everything that was requested has its complete answer, which took so many seconds. */
    answered(seconds: number): void {
      if (isWaiting) last = seconds;
      isWaiting = false;
    },
    close,
  };
}
