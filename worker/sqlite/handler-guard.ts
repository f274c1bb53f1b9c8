/** Whose SQL is being prepared. `trusted` is the library's own; the rest is what an application may do. */
export type GuardMode = 'trusted' | 'app-read' | 'app-write' | 'app-migration';
