/** What a tab knows of the app's worker file: names and types only. `defineWorker` makes it, `connect<App>` reads it. */
export interface HandlerTypes {
  readonly input: unknown;
  readonly output: unknown;
}

export interface AppShape {
  readonly queries: Readonly<Record<string, HandlerTypes>>;
  readonly mutations: Readonly<Record<string, HandlerTypes>>;
  readonly apply: Readonly<Record<string, HandlerTypes>>;
}

/** What `typeof app` carries; `shape` exists in types only. */
export interface AppOf<Shape extends AppShape = AppShape> {
  readonly shape?: Shape;
}

export type ShapeOf<App> = App extends AppOf<infer Shape> ? Shape : AppShape;
export type NameOf<Handlers> = Extract<keyof Handlers, string>;
export type InputOf<Handlers, Name extends keyof Handlers> = Handlers[Name] extends {
  readonly input: infer I;
}
  ? I
  : never;
export type OutputOf<Handlers, Name extends keyof Handlers> = Handlers[Name] extends {
  readonly output: infer O;
}
  ? O
  : never;
