/** The model's heads as bars, and the user's own labels by how near their descriptions are. */

import { Embedder } from 'pocketbert';

import { drawBars } from '../bars.js';
import { byId, debounce, make, offerExamples } from '../element.js';
import { countWork, type Running } from '../engine.js';
import { formatRate } from '../format.js';
import { sampleLabels, sampleTexts } from '../samples.js';
import { Panel } from './panel.js';

/** Softmax over cosines divided by this: small enough that the closest label stands out. */
const temperature = 0.08;

interface Described {
  readonly label: string;
  readonly description: string;
}

/** Bars that are ready to be drawn, the tokens read for them, and whether a text was cut. */
interface Answer {
  readonly draw: () => void;
  readonly tokens: number;
  readonly truncated: boolean;
}

export class ClassifyPanel extends Panel {
  readonly #text = byId('classify-text', HTMLTextAreaElement);
  readonly #labels = byId('classify-labels', HTMLTextAreaElement);
  readonly #heads = byId('classify-heads', HTMLElement);
  readonly #own = byId('classify-own', HTMLElement);

  constructor() {
    super(byId('classify-status', HTMLElement));
    this.#text.value = sampleTexts[0] ?? '';
    this.#labels.value = sampleLabels;
    offerExamples(byId('classify-examples', HTMLElement), this.#text, sampleTexts);
    const update = debounce(100, () => void this.run());
    this.#text.addEventListener('input', update);
    this.#labels.addEventListener('input', update);
  }

  protected override modelChanged({ embedder }: Running): void {
    const { heads } = embedder.info.model;
    byId('classify-no-heads', HTMLElement).hidden = heads.length > 0;
    byId('classify-heads-hint', HTMLElement).hidden = heads.length === 0;
    this.#heads.replaceChildren(
      ...heads.map((head) => {
        const card = make('div', 'card');
        const bars = make('div', 'bars');
        bars.setAttribute('role', 'list');
        bars.setAttribute('aria-label', head.name);
        bars.dataset['head'] = head.name;
        card.append(make('h2', '', head.name), bars);
        return card;
      }),
    );
  }

  protected override async update(running: Running): Promise<void> {
    const text = this.#text.value;
    const start = performance.now();
    const answers = await Promise.all([
      ...this.#askHeads(running, text),
      this.#askDescriptions(running, text),
    ]);
    for (const { draw } of answers) draw();
    const tokens = answers.reduce((sum, answer) => sum + answer.tokens, 0);
    const times = answers.length === 1 ? '1 answer' : `${answers.length} answers`;
    const cut = answers.some(({ truncated }) => truncated)
      ? ' The text is too long for the model: cut.'
      : '';
    this.tell(`${formatRate(times, tokens, performance.now() - start)}.${cut}`);
  }

  #askHeads(running: Running, text: string): Promise<Answer>[] {
    const { classifier } = running;
    if (classifier === null) return [];
    const roots = [...this.#heads.querySelectorAll<HTMLElement>('[data-head]')];
    return roots.map(async (root) => {
      const head = root.dataset['head'];
      const labels = await classifier.classify(text, { head, supersede: `head ${head}` });
      const { tokens, truncated } = labels;
      countWork(running, 1, tokens);
      const draw = (): void =>
        drawBars(
          root,
          labels.map(({ label, score }) => ({ label, share: score })),
        );
      return { draw, tokens, truncated };
    });
  }

  async #askDescriptions(running: Running, text: string): Promise<Answer> {
    const described = parseLabels(this.#labels.value);
    const texts = [text, ...described.map(({ description }) => description)];
    const vectors = await running.embedder.embed(texts, {
      supersede: 'descriptions',
      priority: 'interactive',
    });
    const cosines = described.map((_, index) =>
      Embedder.similarity(vectors.at(0), vectors.at(index + 1)),
    );
    const shares = softmax(cosines);
    const bars = described.map(({ label }, index) => {
      const share = shares[index] ?? 0;
      return {
        label,
        share,
        value: `${(100 * share).toFixed(0)} % (${(cosines[index] ?? 0).toFixed(2)})`,
      };
    });
    const tokens = vectors.tokens.reduce((sum, count) => sum + count, 0);
    countWork(running, texts.length, tokens);
    const draw = (): void =>
      drawBars(
        this.#own,
        bars.sort((a, b) => b.share - a.share),
      );
    return { draw, tokens, truncated: vectors.truncated[0] ?? false };
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
