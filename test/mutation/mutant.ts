/** One change of one source. */
export interface Mutant {
  readonly path: string;
  readonly line: number;
  readonly mutator: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** What names it from run to run, wherever its lines go: the line it is on, and the change. */
  readonly key: string;
}

export interface Edit {
  readonly mutator: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** What is changed, where the texts before and after do not show it. */
  readonly label?: string;
}

export function toMutant(path: string, text: string, edit: Edit): Mutant {
  const line = text.slice(0, edit.start).split('\n').length;
  const { label, ...rest } = edit;
  const change = label ?? `${squeeze(text.slice(edit.start, edit.end))} → ${squeeze(edit.replacement)}`;
  const lineText = squeeze(text.split('\n')[line - 1] ?? '');
  const key = `${path} · ${edit.mutator} · ${lineText} · ${squeeze(change)}`;
  return { path, line, key, ...rest };
}

export function applyMutant(text: string, { start, end, replacement }: Mutant): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function squeeze(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 117)}…` : line;
}
