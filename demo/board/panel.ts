import type { TideStatus } from 'tidelock';
import { make, mustFind, showFacts } from './element';
import type { BoardTide } from './sync';

/** Between two looks at the permits: they come and go with each request, so they are looked at and not listened to. */
const LOOK_INTERVAL_MS = 400;
const MAX_EVENTS = 60;
/** Always shown, so that nothing on the page moves while requests come and go. */
const NO_PERMITS = {
  'issued-idle': 0,
  'gateway-in-flight': 0,
  'gateway-complete-awaiting-apply': 0,
  'local-commit-entered': 0,
} as const;

/** The side of the page that shows what the library does: writer, permits, obligations, data version, events. */
export class Panel {
  readonly #tide: BoardTide;
  readonly #workspaceId: string;
  readonly #facts = mustFind('facts', HTMLDListElement);
  readonly #permits = mustFind('permits', HTMLDListElement);
  #epoch = 0;

  constructor(tide: BoardTide, workspaceId: string) {
    this.#tide = tide;
    this.#workspaceId = workspaceId;
    tide.on('status', (status) => this.#showStatus(status));
    this.#showStatus(tide.status);
    setInterval(() => void this.#lookAtPermits(), LOOK_INTERVAL_MS);
  }

  #showStatus(status: TideStatus): void {
    const { writer, role } = status;
    if (writer !== null && writer.epoch !== this.#epoch) {
      tell(
        this.#epoch === 0
          ? `served by writer ${writer.epoch}`
          : `writer ${this.#epoch} is gone, writer ${writer.epoch} took over`,
      );
      this.#epoch = writer.epoch;
    }
    if (status.connection === 'connected') {
      showConnection(`connected · ${role === 'writer' ? 'this tab' : 'another tab'} writes`, 'connected');
    } else if (status.connection === 'unresponsive') {
      showConnection('the tab that writes does not answer: close it, or wait', 'waiting');
    } else showConnection('waiting for a writer…', 'waiting');
    showFacts(this.#facts, {
      role,
      'own worker': status.workerStage,
      writer: writer === null ? 'none yet' : `epoch ${writer.epoch}, tab ${writer.sessionId.slice(0, 8)}`,
      'this session': status.sessionId.slice(0, 8),
      workspace: status.workspaceId ?? 'none',
      owner: status.ownershipMode,
      generation: status.generation,
      'data version': status.localDataVersion,
      storage: status.storage ?? 'not open',
    });
  }

  async #lookAtPermits(): Promise<void> {
    try {
      const [{ active, byState, recoveryObligations }, outbox] = await Promise.all([
        this.#tide.permits.summarize(this.#workspaceId),
        this.#tide.query('outboxSize', {}),
      ]);
      showFacts(this.#permits, {
        active,
        ...NO_PERMITS,
        ...byState,
        'open obligations': recoveryObligations,
        'waiting in outbox': outbox,
      });
    } catch {
      // Between two writers nobody can be asked; the next look comes soon.
    }
  }
}

export function showConnection(text: string, className: 'connected' | 'waiting' | 'failed'): void {
  const line = mustFind('connection', HTMLElement);
  line.textContent = text;
  line.className = className;
}

/** One more line of what happened, newest first. */
export function tell(text: string): void {
  const events = mustFind('events', HTMLOListElement);
  events.prepend(make('li', { text: `${new Date().toLocaleTimeString()} ${text}` }));
  while (events.children.length > MAX_EVENTS) events.lastElementChild?.remove();
}
