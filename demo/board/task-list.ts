import { make, mustFind } from './element';
import { tell } from './panel';
import type { BoardTide } from './sync';

/** The tasks as the local database has them, rendered again whenever the data version moves in any tab. */
export class TaskList {
  readonly #tide: BoardTide;
  readonly #onChange: () => void;
  readonly #list = mustFind('tasks', HTMLUListElement);
  readonly #rejected = mustFind('rejected', HTMLDivElement);
  #isRendering = false;
  #isStale = false;

  /** `onChange` is called after each change made here, so that it is sent. */
  constructor(tide: BoardTide, onChange: () => void) {
    this.#tide = tide;
    this.#onChange = onChange;
    const form = mustFind('add', HTMLFormElement);
    const title = mustFind('title', HTMLInputElement);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const text = title.value.trim();
      if (text === '') return;
      title.value = '';
      this.#change(
        () => tide.mutate('addTask', { title: text }),
        () => (title.value ||= text), // what was typed is not lost with the call
      );
    });
    tide.on('change', () => void this.render());
  }

  /** Renders at most once at a time; what changes meanwhile is shown by one more rendering. */
  async render(): Promise<void> {
    this.#isStale = true;
    if (this.#isRendering) return;
    this.#isRendering = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#renderOnce();
      }
    } catch (error) {
      tell(error instanceof Error ? `board: ${error.message}` : 'the board could not be read');
    } finally {
      this.#isRendering = false;
    }
  }

  async #renderOnce(): Promise<void> {
    const [tasks, rejected] = await Promise.all([
      this.#tide.query('tasks', {}),
      this.#tide.query('rejected', {}),
    ]);
    this.#list.replaceChildren(...tasks.map((task) => this.#renderTask(task)));
    mustFind('empty', HTMLElement).hidden = tasks.length > 0;
    this.#rejected.hidden = rejected.length === 0;
    this.#rejected.replaceChildren(
      ...rejected.map(({ identity, kind, reason }) => {
        const line = make('p');
        line.append(
          make('span', { text: `${kind} was refused: ${reason}` }),
          make('button', {
            text: 'Try again',
            onClick: () => this.#change(() => this.#tide.mutate('retryRejected', { identity })),
          }),
          make('button', {
            text: 'Give up',
            onClick: () => this.#change(() => this.#tide.mutate('discardRejected', { identity })),
          }),
        );
        return line;
      }),
    );
  }

  #renderTask({
    id,
    title,
    done,
    isPending,
  }: {
    readonly id: string;
    readonly title: string;
    readonly done: boolean;
    readonly isPending: boolean;
  }): HTMLLIElement {
    const item = make('li', { className: done ? 'done' : '' });
    item.dataset['taskId'] = id;
    const box = make('input');
    box.type = 'checkbox';
    box.checked = done;
    box.ariaLabel = `Done: ${title}`;
    box.addEventListener('change', () =>
      this.#change(() => this.#tide.mutate('setDone', { id, done: box.checked })),
    );
    const remove = make('button', {
      text: '×',
      onClick: () => this.#change(() => this.#tide.mutate('deleteTask', { id })),
    });
    remove.ariaLabel = `Delete: ${title}`;
    item.append(
      box,
      make('span', { text: title, className: 'title' }),
      make('span', {
        text: isPending ? 'pending' : 'synced',
        className: isPending ? 'badge' : 'badge synced',
      }),
      remove,
    );
    return item;
  }

  #change(work: () => Promise<unknown>, onFailed: () => void = () => undefined): void {
    work().then(
      () => this.#onChange(),
      (error: unknown) => {
        tell(error instanceof Error ? `not done: ${error.message}` : 'not done');
        onFailed();
      },
    );
  }
}
