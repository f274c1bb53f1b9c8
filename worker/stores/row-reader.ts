import type { Json } from '../../src/domain/json';
import { toCanonicalJson } from '../../src/domain/canonical-json';
import type { Row } from '../database';

/** Why a row could not be decoded. Stays inside the stores: whoever meets one quarantines the row. */
export class UnreadableRowError extends Error {
  override readonly name = 'UnreadableRowError';
  constructor(column: string, wanted: string) {
    super(`${column} is not ${wanted}`);
  }
}

export function readText(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw new UnreadableRowError(column, 'text');
}

export function readOptionalText(row: Row, column: string): string | null {
  return row[column] === null ? null : readText(row, column);
}

export function readInteger(row: Row, column: string): number {
  const value = row[column];
  if (Number.isSafeInteger(value)) return Number(value);
  throw new UnreadableRowError(column, 'a safe integer');
}

export function readOneOf<T extends string>(row: Row, column: string, set: readonly T[]): T {
  const value = row[column];
  const found = set.find((member) => member === value);
  if (found !== undefined) return found;
  throw new UnreadableRowError(column, `one of ${set.join(', ')}`);
}

export function readOptionalOneOf<T extends string>(row: Row, column: string, set: readonly T[]): T | null {
  return row[column] === null ? null : readOneOf(row, column, set);
}

/** NULL reads as null. */
export function readJson(row: Row, column: string): Json {
  const text = readOptionalText(row, column);
  if (text === null) return null;
  try {
    return JSON.parse(text) as Json; // what JSON.parse makes is Json
  } catch {
    throw new UnreadableRowError(column, 'JSON');
  }
}

/** For columns that only tell what happened: one that cannot be read tells nothing, and must not stop the rest. */
export function readJsonOrNull(row: Row, column: string): Json {
  try {
    return readJson(row, column);
  } catch (error) {
    if (error instanceof UnreadableRowError) return null;
    throw error;
  }
}

/** Canonical text for a JSON column; null is NULL. */
export function toJsonColumn(value: Json | undefined): string | null {
  return value === undefined || value === null ? null : toCanonicalJson(value);
}
