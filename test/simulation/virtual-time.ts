import type { Trace } from './trace';

/** Long before a real run reaches it: a run that does not come to rest is cut off here. */
const MAX_EVENTS = 400_000;

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly label: string;
  readonly run: () => void;
  isOff: boolean;
}

/**
 * Time that passes only from one event to the next. Each event is a task of its own, as a browser's are: whatever its
 * promises set going is through before the next one runs.
 */
export class VirtualTime {
  readonly #trace: Trace;
  readonly #heap: Event[] = [];
  #nowMs = 0;
  #order = 0;
  #events = 0;

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  /** Milliseconds since the start. */
  get nowMs(): number {
    return this.#nowMs;
  }

  get events(): number {
    return this.#events;
  }

  /** Plans a task; returns what calls it off. Of those planned for one moment the first planned runs first. */
  after(delayMs: number, label: string, run: () => void): () => void {
    const event = {
      atMs: this.#nowMs + Math.max(0, delayMs),
      order: this.#order++,
      label,
      run,
      isOff: false,
    };
    this.#push(event);
    return () => void (event.isOff = true);
  }

  /** Runs tasks until `isOver`, or until none is left or the time is up; tells whether it was over. */
  async run(isOver: () => boolean, untilMs: number): Promise<boolean> {
    while (!isOver()) {
      const event = this.#heap[0];
      if (event === undefined || event.atMs > untilMs || this.#events > MAX_EVENTS) {
        if (event !== undefined && event.atMs > untilMs) this.#nowMs = untilMs;
        return false;
      }
      this.#pop();
      if (event.isOff) continue;
      this.#nowMs = event.atMs;
      this.#events += 1;
      this.#trace.add(this.#nowMs, event.label);
      event.run();
      await settleMicrotasks();
    }
    return true;
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfEarlier(index, parent)) return;
      index = parent;
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let index = 0; ;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const child = right < heap.length && isEarlier(heap[right], heap[left]) ? right : left;
      if (child >= heap.length || !this.#swapIfEarlier(child, index)) return;
      index = child;
    }
  }

  #swapIfEarlier(lower: number, upper: number): boolean {
    const [a, b] = [this.#heap[lower], this.#heap[upper]];
    if (a === undefined || b === undefined || !isEarlier(a, b)) return false;
    this.#heap[lower] = b;
    this.#heap[upper] = a;
    return true;
  }
}

function isEarlier(a: Event | undefined, b: Event | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.atMs === b.atMs ? a.order < b.order : a.atMs < b.atMs;
}

/** A real macrotask comes after every microtask, and after those that they make. */
function settleMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
