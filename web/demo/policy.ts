/** What the browser lets this page speak to, by the policy that the page was served with. */

import { byId } from './element.js';

/** Sources of a directive; undefined if the policy has neither it nor default-src. */
function sourcesOf(policy: string, name: string): readonly string[] | undefined {
  const directives = policy.split(';').map((part) => part.trim().split(/\s+/));
  const found =
    directives.find(([key]) => key === name) ?? directives.find(([key]) => key === 'default-src');
  return found?.slice(1);
}

/** Asks for the page's own headers, and writes into the page what they allow. */
export async function showPolicy(): Promise<void> {
  const response = await fetch(location.pathname, { method: 'HEAD' }).catch(() => null);
  await response?.text();
  const sources = sourcesOf(response?.headers.get('Content-Security-Policy') ?? '', 'connect-src');
  const verdict = byId('network-policy', HTMLElement);
  const hint = byId('model-url-hint', HTMLElement);
  if (sources === undefined) {
    verdict.textContent =
      'This page was served without a policy about connections: the list alone has to convince.';
    return;
  }
  const hosts = sources
    .map((source) => (source === "'self'" ? 'this page’s own server' : source))
    .join(', ');
  verdict.textContent =
    'The browser enforces it: the page was served with a Content-Security-Policy that lets its ' +
    `scripts and workers connect to ${hosts} and to nothing else (connect-src ${sources.join(' ')}).`;
  hint.textContent =
    `The policy of this page allows: ${hosts}. ` + 'npm start -- --host https://… adds another.';
}
