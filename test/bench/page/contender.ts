/** One way to do the durable call that is measured: look for a row, insert one, commit durably. */
export interface Contender {
  /** One durable call with a fresh id. */
  call(id: string): Promise<unknown>;
  close(): void;
}
