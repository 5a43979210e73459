// In the page: runs a test function and leaves its value, or why it failed, where the harness
// looks.

const log = [];
window.pageLog = log;
for (const level of ['log', 'info', 'warn', 'error']) {
  const original = console[level].bind(console);
  console[level] = (...words) => {
    log.push(`${level}: ${words.map(String).join(' ')}`);
    original(...words);
  };
}
const describe = (thrown) =>
  thrown instanceof Error ? `${thrown.name}: ${thrown.message}\n${thrown.stack}` : String(thrown);
addEventListener('error', (event) => {
  window.failure ??= event.error ? describe(event.error) : event.message;
});
addEventListener('unhandledrejection', (event) => {
  window.failure ??= describe(event.reason);
});

/** Sets `window.result` to what `test()` resolves with (null for nothing), or `window.failure`. */
export async function report(test) {
  try {
    window.result = (await test()) ?? null;
  } catch (thrown) {
    window.failure = describe(thrown);
  }
}
