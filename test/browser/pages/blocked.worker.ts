/** The notes where the browser refuses storage, as a private window does. */
StorageManager.prototype.getDirectory = () =>
  Promise.reject(new DOMException('refused for the test', 'SecurityError'));
await import('./notes.worker');
export {};
