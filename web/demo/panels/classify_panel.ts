/** The model's heads as bars, and labels of the user's own by the closeness of their descriptions. */

import { Embedder } from 'pocketbert';

import { drawBars } from '../bars.js';
import { byId, debounce, make } from '../element.js';
import type { Running } from '../engine.js';
import { describe } from '../model_bar.js';
import { sampleLabels, sampleText } from '../samples.js';

/** Softmax over cosines divided by this: small enough that the closest label stands out. */
const temperature = 0.08;

interface Described {
  readonly label: string;
  readonly description: string;
}

export class ClassifyPanel {
  #running: Running | null = null;
  #round = 0;
  readonly #text = byId('classify-text', HTMLTextAreaElement);
  readonly #labels = byId('classify-labels', HTMLTextAreaElement);
  readonly #status = byId('classify-status', HTMLElement);
  readonly #heads = byId('classify-heads', HTMLElement);
  readonly #own = byId('classify-own', HTMLElement);

  constructor() {
    this.#text.value = sampleText;
    this.#labels.value = sampleLabels;
    const update = debounce(120, () => void this.#classify());
    this.#text.addEventListener('input', update);
    this.#labels.addEventListener('input', update);
  }

  use(running: Running): void {
    this.#running = running;
    this.#heads.replaceChildren(
      ...running.embedder.info.model.heads.map((head) => {
        const card = make('div', 'card');
        const bars = make('div', 'bars');
        bars.setAttribute('role', 'list');
        bars.setAttribute('aria-label', head.name);
        bars.dataset['head'] = head.name;
        card.append(make('h2', '', head.name), bars);
        return card;
      }),
    );
    void this.#classify();
  }

  async #classify(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    const round = ++this.#round;
    const text = this.#text.value;
    try {
      const start = performance.now();
      const heads = await this.#classifyByHeads(running, text);
      const own = await this.#classifyByDescriptions(running, text);
      if (round !== this.#round) return;
      for (const draw of [...heads, own]) draw();
      const none = heads.length === 0 ? 'This model has no heads; your own labels work with every model. ' : '';
      this.#status.textContent = `${none}${(performance.now() - start).toFixed(1)} ms for everything below.`;
    } catch (error) {
      if (round === this.#round) this.#status.textContent = describe(error);
    }
  }

  async #classifyByHeads(running: Running, text: string): Promise<(() => void)[]> {
    const { classifier } = running;
    if (classifier === null) return [];
    const roots = [...this.#heads.querySelectorAll<HTMLElement>('[data-head]')];
    return Promise.all(
      roots.map(async (root) => {
        const labels = await classifier.classify(text, { head: root.dataset['head'] });
        return () => drawBars(root, labels.map(({ label, score }) => ({ label, share: score })));
      }),
    );
  }

  async #classifyByDescriptions(running: Running, text: string): Promise<() => void> {
    const described = parseLabels(this.#labels.value);
    if (described.length === 0) return () => drawBars(this.#own, []);
    const vectors = await running.embedder.embed([text, ...described.map((label) => label.description)]);
    const cosines = described.map((_, index) => Embedder.similarity(vectors.at(0), vectors.at(index + 1)));
    const shares = softmax(cosines);
    const bars = described.map(({ label }, index) => ({
      label,
      share: shares[index] ?? 0,
      value: `${(100 * (shares[index] ?? 0)).toFixed(1)} %`,
    }));
    return () => drawBars(this.#own, bars.sort((a, b) => b.share - a.share));
  }
}

/** "sport: games and athletes" → label "sport", description "games and athletes". */
function parseLabels(text: string): Described[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', ...rest] = line.split(':');
    const label = name.trim();
    const description = rest.join(':').trim();
    return label === '' ? [] : [{ label, description: description === '' ? label : description }];
  });
}

function softmax(cosines: readonly number[]): number[] {
  const top = Math.max(...cosines);
  const weights = cosines.map((cosine) => Math.exp((cosine - top) / temperature));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
