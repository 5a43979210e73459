/** The worker's entry. */

import { startWorker } from './server.js';

startWorker();
