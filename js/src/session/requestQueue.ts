/** Dependencies of a request queue: the counter to continue, a function to send, and a callback for silence. */
export interface Port<Changes> {
  lastSeq(): number;
  send(seq: number, changes: Changes): void;
  silence(silent: boolean): void;
}

/**
 * A queue with one request in flight; the newest request wins, and the last value is never lost.
 *
 * Changes during a request in flight are merged, and are sent after the first frame that answers it, so a
 * fast drag costs as many computations as the kernel can do and still ends on the last value.
 * After `patience` ms without a frame the queue reports silence and lets one more request through per period: a
 * request that was lost (kernel restart) must not lock the controls, and a busy kernel must not be flooded.
 */
export class RequestQueue<Changes extends object> {
  #waiting: Changes | null = null;
  #sent: { seq: number; changes: Changes } | null = null;
  #open = true;
  #silent = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly port: Port<Changes>,
    readonly patience = 1500,
  ) {}

  /** The changes that are not answered yet. */
  get pending(): Partial<Changes> {
    return { ...this.#sent?.changes, ...this.#waiting };
  }

  get silent(): boolean {
    return this.#silent;
  }

  request(changes: Changes): void {
    this.#waiting = { ...this.#waiting, ...changes };
    if (this.#open) this.#flush();
  }

  /** Every frame ends the silence; the first one at or past the request in flight answers it. */
  frame(seq: number, final: boolean): void {
    this.#setSilent(false);
    if (this.#sent && seq >= this.#sent.seq) this.#sent = null;
    this.#open = this.#sent === null;
    if (this.#open && this.#waiting) this.#flush();
    else if (this.#sent || !final) this.#watch();
    else clearTimeout(this.#timer);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#open = false;
    this.#waiting = null;
  }

  #flush(): void {
    const changes = { ...this.#sent?.changes, ...this.#waiting } as Changes;
    const seq = Math.max(this.port.lastSeq(), this.#sent?.seq ?? 0) + 1;
    this.#sent = { seq, changes };
    this.#waiting = null;
    this.#open = false;
    this.#watch();
    this.port.send(seq, changes);
  }

  #watch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#setSilent(true);
      this.#open = true;
      if (this.#waiting) this.#flush();
    }, this.patience);
  }

  #setSilent(silent: boolean): void {
    if (silent === this.#silent) return;
    this.#silent = silent;
    this.port.silence(silent);
  }
}
