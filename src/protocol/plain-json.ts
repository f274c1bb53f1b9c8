import { MAX_DEPTH } from './limits';

/** What is wrong with a value that should be plain JSON, and where: `path` is like `operations[3].payload.at`. */
export interface JsonFault {
  readonly path: string;
  readonly problem: string;
}

export interface PlainJsonOptions {
  /** Rows may hold BLOBs (Uint8Array) and integers past 2^53 (bigint); they clone, but they are no JSON. */
  readonly allowRowValues?: boolean;
}

export interface PlainJsonCheck {
  readonly fault: JsonFault | null;
  /** About the length of the value's JSON text; 0 with a fault. */
  readonly sizeBytes: number;
}

/**
 * Walks a value that came from outside. Refused: functions, symbols, class instances, NaN and infinities, lone
 * surrogates, `__proto__` keys, cycles, nesting past 64 levels. An undefined property counts as absent.
 */
export function checkPlainJson(value: unknown, options: PlainJsonOptions = {}): PlainJsonCheck {
  const walker = new Walker(options.allowRowValues ?? false);
  walker.visit(value, '', 0);
  return walker.fault === null
    ? { fault: null, sizeBytes: walker.sizeBytes }
    : { fault: walker.fault, sizeBytes: 0 };
}

/** With the u flag a pair is one character, so only a surrogate that stands alone matches. */
const LONE_SURROGATE = /\p{Surrogate}/u;

class Walker {
  fault: JsonFault | null = null;
  sizeBytes = 0;
  readonly #allowRowValues: boolean;
  readonly #ancestors: object[] = [];

  constructor(allowRowValues: boolean) {
    this.#allowRowValues = allowRowValues;
  }

  visit(value: unknown, path: string, depth: number): void {
    if (this.fault !== null) return;
    switch (typeof value) {
      case 'string':
        this.#visitText(value, path);
        return;
      case 'number':
        if (!Number.isFinite(value)) this.#refuse(path, `${value} is no JSON number`);
        this.sizeBytes += 8;
        return;
      case 'boolean':
        this.sizeBytes += 5;
        return;
      case 'object':
        if (value === null) this.sizeBytes += 4;
        else this.#visitObject(value, path, depth);
        return;
      case 'bigint':
        if (!this.#allowRowValues) this.#refuse(path, 'a bigint is no JSON value');
        this.sizeBytes += 20;
        return;
      case 'undefined':
        this.#refuse(path, 'undefined is no JSON value');
        return;
      case 'function':
      case 'symbol':
        this.#refuse(path, `a ${typeof value} is no JSON value`);
        return;
    }
  }

  #visitText(text: string, path: string): void {
    // UTF-8 needs up to three bytes a UTF-16 unit; counting exactly would cost more than it tells.
    this.sizeBytes += text.length + 2;
    if (LONE_SURROGATE.test(text)) this.#refuse(path, 'text with a lone surrogate');
  }

  #visitObject(value: object, path: string, depth: number): void {
    if (depth >= MAX_DEPTH) return this.#refuse(path, `nested deeper than ${MAX_DEPTH} levels`);
    if (this.#ancestors.includes(value)) return this.#refuse(path, 'a cycle');
    if (this.#allowRowValues && value instanceof Uint8Array) {
      this.sizeBytes += value.byteLength;
      return;
    }
    this.#ancestors.push(value);
    if (Array.isArray(value)) this.#visitArray(value, path, depth);
    else this.#visitRecord(value, path, depth);
    this.#ancestors.pop();
  }

  #visitArray(value: readonly unknown[], path: string, depth: number): void {
    this.sizeBytes += 2 + value.length;
    for (let index = 0; index < value.length && this.fault === null; index++) {
      this.visit(value[index], `${path}[${index}]`, depth + 1);
    }
  }

  #visitRecord(value: object, path: string, depth: number): void {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      // Values from another realm have that realm's Object.prototype, whose own prototype is null.
      const isForeignPlain =
        typeof prototype === 'object' && prototype !== null && Object.getPrototypeOf(prototype) === null;
      if (!isForeignPlain) return this.#refuse(path, `an instance of ${nameOf(value)} is no plain object`);
    }
    this.sizeBytes += 2;
    for (const key of Object.keys(value)) {
      if (this.fault !== null) return;
      const at = path === '' ? key : `${path}.${key}`;
      if (key === '__proto__') return this.#refuse(at, 'the key "__proto__" is not allowed');
      const item = (value as Record<string, unknown>)[key]; // keys come from Object.keys of this very object
      if (item === undefined) continue;
      this.#visitText(key, at);
      this.visit(item, at, depth + 1);
    }
  }

  #refuse(path: string, problem: string): void {
    this.fault ??= { path, problem };
  }
}

function nameOf(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'a class';
}
