/** The worker's entry: a host behind the worker's own message channel. */

import { loadEngine } from '../core/engine.js';
import { buffersOf, type FromHost } from './protocol.js';
import { createServer } from './server.js';

const server = createServer(loadEngine, (message: FromHost) => {
  self.postMessage(message, { transfer: message.type === 'done' ? buffersOf(message.value) : [] });
});

self.onmessage = (event: MessageEvent) => server.receive(event.data);
