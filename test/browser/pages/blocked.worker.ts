/** The notes where the browser refuses storage. */
import './refuse-storage';
import './notes.worker';
