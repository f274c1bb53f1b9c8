/** The notes where the WASM was not deployed: whichever way it is asked for, another file is, and there is none. */
const { fetch } = globalThis;
const { open } = XMLHttpRequest.prototype;
const divert = (url: string): string =>
  url.includes('.wasm') ? new URL('/test/not-deployed.wasm', location.origin).href : url;

globalThis.fetch = (input, init) => fetch(divert(String(input instanceof Request ? input.url : input)), init);
XMLHttpRequest.prototype.open = function openDiverted(
  this: XMLHttpRequest,
  method: string,
  url: string | URL,
  isAsync?: boolean,
): void {
  open.call(this, method, divert(String(url)), isAsync !== false);
};
await import('./notes.worker');
export {};
