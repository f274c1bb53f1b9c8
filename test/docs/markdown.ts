/** A table of Markdown; bars in cells are escaped. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [toLine(head), toLine(head.map(() => '---')), ...rows.map(toLine)].join('\n');
}

export interface DiagramEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

export interface Diagram {
  readonly states: readonly string[];
  readonly start: string;
  readonly ends: readonly string[];
  readonly edges: readonly DiagramEdge[];
}

/** A state diagram that GitHub draws. Edges between the same two states become one. */
export function toDiagram({ states, start, ends, edges }: Diagram): string {
  const labels = new Map<string, string[]>();
  for (const { from, to, label } of edges) {
    const pair = `${toId(from)} --> ${toId(to)}`;
    labels.set(pair, [...(labels.get(pair) ?? []), label]);
  }
  return [
    '```mermaid',
    'stateDiagram-v2',
    ...states.map((state) => `  state "${state}" as ${toId(state)}`),
    `  [*] --> ${toId(start)}`,
    ...[...labels].map(([pair, texts]) => `  ${pair}: ${texts.join(' · ')}`),
    ...ends.map((end) => `  ${toId(end)} --> [*]`),
    '```',
  ].join('\n');
}

/** Mermaid reads a hyphen as part of an arrow. */
function toId(state: string): string {
  return state.replaceAll('-', '_');
}

export function toCode(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(' ');
}
