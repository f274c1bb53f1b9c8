/** Imported before the library: the browser refuses storage, as a private window does. */
StorageManager.prototype.getDirectory = () =>
  Promise.reject(new DOMException('refused for the test', 'SecurityError'));
export {};
