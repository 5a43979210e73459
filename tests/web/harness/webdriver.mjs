// WebKitGTK through its own WebDriver server (W3C WebDriver over HTTP), on a display of its own.

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { programOf } from './programs.mjs';

const kStartTimeout = 30_000; // ms

function freePort() {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.on('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === 'object'
          ? done(address.port)
          : failed(new Error('no free port')),
      );
    });
  });
}

/** Starts Xvfb on a display number that it chooses itself; resolves with `:N` and the process. */
function startDisplay() {
  const program = programOf('display');
  if (!program) throw new Error('Xvfb is not installed');
  const child = spawn(
    program,
    ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  return new Promise((done, failed) => {
    let text = '';
    child.stdio[3]?.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('\n')) done({ child, display: `:${text.trim()}` });
    });
    child.on('error', failed);
    child.on('exit', (code) => failed(new Error(`Xvfb ended with ${code}`)));
  });
}

async function call(base, method, path, body) {
  const response = await fetch(base + path, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
  const { value } = await response.json();
  if (!response.ok)
    throw new Error(`WebDriver ${method} ${path}: ${value?.error}: ${value?.message}`);
  return value;
}

async function untilReady(base, child) {
  const end = performance.now() + kStartTimeout;
  while (performance.now() < end) {
    if (child.exitCode !== null) break;
    const status = await call(base, 'GET', '/status').catch(() => undefined);
    if (status?.ready) return;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error('the WebKit driver did not start');
}

/**
 * A WebKitGTK browser window: `open(url)`, `evaluate(source)` (JSON-able values only), `close()`, and
 * `session(method, path, body)` for any other command of WebDriver.
 */
export async function startWebKit() {
  const program = programOf('webkit');
  if (!program) throw new Error('WebKitWebDriver is not installed');
  const { child: screen, display } = await startDisplay();
  const port = await freePort();
  // The pages are ours and the display is private: the browser's sandbox, which needs user
  // namespaces, is left out.
  const env = {
    ...process.env,
    DISPLAY: display,
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
  };
  const driver = spawn(program, [`--port=${port}`], { stdio: 'ignore', env });
  const stop = () => {
    driver.kill();
    screen.kill();
  };
  process.once('exit', stop);
  const base = `http://127.0.0.1:${port}`;
  try {
    await untilReady(base, driver);
    const { sessionId } = await call(base, 'POST', '/session', {
      capabilities: { alwaysMatch: {} },
    });
    const session = `/session/${sessionId}`;
    return {
      session: (method, path, body) => call(base, method, session + path, body),
      open: (url) => call(base, 'POST', `${session}/url`, { url }),
      evaluate: (source) =>
        call(base, 'POST', `${session}/execute/sync`, { script: `return (${source});`, args: [] }),
      async close() {
        await call(base, 'DELETE', session).catch(() => undefined);
        stop();
        process.off('exit', stop);
      },
    };
  } catch (error) {
    stop();
    throw error;
  }
}
