import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether tests that repeat something at random moments do so as often as they can be asked to. */
    readonly isThorough: boolean;
  }
}

/** Whether this is `npm run test:tabs`, which has the time for what takes long. */
export function isThorough(): boolean {
  return inject('isThorough');
}

/** How often to do something: a few times in `npm test`, as often as it takes to be sure in `npm run test:tabs`. */
export function times({ some, full }: { readonly some: number; readonly full: number }): number {
  return isThorough() ? full : some;
}
