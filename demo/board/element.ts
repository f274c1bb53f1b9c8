/** The element of this id. @throws where the page has none: then page and script do not belong together. */
export function mustFind<E extends Element>(id: string, kind: new () => E): E {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new TypeError(`The page has no ${kind.name} "#${id}".`);
}

export interface ElementParts {
  readonly text?: string;
  readonly className?: string;
  readonly onClick?: () => void;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { text, className, onClick }: ElementParts = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className !== undefined) element.className = className;
  if (onClick !== undefined) element.addEventListener('click', onClick);
  return element;
}

/** Fills a definition list; `data-fact` names each value, for tests. */
export function showFacts(list: HTMLDListElement, facts: Readonly<Record<string, string | number>>): void {
  list.replaceChildren(
    ...Object.entries(facts).flatMap(([term, value]) => {
      const definition = make('dd', { text: String(value) });
      definition.dataset['fact'] = term;
      return [make('dt', { text: term }), definition];
    }),
  );
}
