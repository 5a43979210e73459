/** Labels that the user types, judged by a model of natural language inference. */

import { Classifier, type Embedder, type HeadInfo, type ModelInfo } from 'pocketbert';

import { drawBars } from '../bars.js';
import { byId, debounce, offerExamples } from '../element.js';
import { countWork, type Running } from '../engine.js';
import { formatCount, formatRate } from '../format.js';
import { sampleTexts } from '../samples.js';
import type { Report } from '../slow_bar.js';
import { statusLine, TaskPanel, type Lack } from './task_panel.js';

const sampleLabels = 'technical problem\nmoney back\ndelivery\npraise\nsports';

const markup = `
<label for="zero-shot-text">Text to sort</label>
<textarea id="zero-shot-text" rows="2" dir="auto"></textarea>
<div id="zero-shot-examples" class="chips" role="group" aria-label="Example texts"></div>
<div class="columns next">
  <div>
    <label for="zero-shot-labels">Your labels, one a line</label>
    <textarea id="zero-shot-labels" rows="6" dir="auto" spellcheck="false"></textarea>
    <label for="zero-shot-template" class="next">The sentence that is judged, with {} for the label</label>
    <input id="zero-shot-template" type="search" dir="auto" autocomplete="off" value="This example is {}." />
    <div class="choices">
      <label class="tick"><input id="zero-shot-multi" type="checkbox" /> Several labels may be true</label>
    </div>
  </div>
  <div>
    <p class="label">Which of them is it?</p>
    ${statusLine('zero-shot')}
    <div id="zero-shot-bars" class="bars wide outcome" role="list" aria-label="Your labels with scores"></div>
  </div>
</div>`;

/** The head that tells whether a sentence follows from a text. */
function inferenceHead({ heads }: ModelInfo): HeadInfo | undefined {
  return heads.find(({ labels }) => labels.some((label) => /^entail/i.test(label)));
}

export class ZeroShotPanel extends TaskPanel<Classifier> {
  readonly #text = byId('zero-shot-text', HTMLTextAreaElement);
  readonly #labels = byId('zero-shot-labels', HTMLTextAreaElement);
  readonly #template = byId('zero-shot-template', HTMLInputElement);
  readonly #multi = byId('zero-shot-multi', HTMLInputElement);

  constructor(root: HTMLElement) {
    super('zero-shot', root, markup);
    this.#text.value = sampleTexts[0] ?? '';
    this.#labels.value = sampleLabels;
    offerExamples(byId('zero-shot-examples', HTMLElement), this.#text, sampleTexts);
    const update = debounce(120, () => void this.run());
    for (const field of [this.#text, this.#labels, this.#template])
      field.addEventListener('input', update);
    this.#multi.addEventListener('change', update);
  }

  protected override lackOf(model: ModelInfo): Lack | null {
    return inferenceHead(model) !== undefined
      ? null
      : {
          cannot: 'does not judge whether a sentence follows from a text',
          load: 'a model of natural language inference like nli-deberta-v3-small',
        };
  }

  protected override open(model: Embedder): Promise<Classifier> {
    return Classifier.create({ model });
  }

  protected override async work(
    classifier: Classifier,
    running: Running,
    report: Report,
  ): Promise<void> {
    const labels = labelsOf(this.#labels.value);
    const bars = byId('zero-shot-bars', HTMLElement);
    if (labels.length === 0) {
      bars.replaceChildren();
      return this.tell('Write a label.');
    }
    if (!this.#template.value.includes('{}')) {
      bars.replaceChildren();
      return this.tell('The sentence needs {} where the label stands.');
    }
    const start = performance.now();
    const found = await classifier.zeroShot(this.#text.value, labels, {
      hypothesis_template: this.#template.value,
      multi_label: this.#multi.checked,
      head: inferenceHead(running.embedder.info.model)?.name,
      supersede: true,
      onProgress: report,
    });
    const tokens = countWork(running, labels.length, found.tokens);
    const cut = found.truncated ? ' The text is too long for the model: cut.' : '';
    const what = formatCount(labels.length, 'sentence');
    this.tell(`${formatRate(what, tokens, performance.now() - start)}.${cut}`);
    drawBars(
      bars,
      found.map(({ label, score }) => ({ label, share: score })),
    );
  }
}

/** Lines that say something, each once. */
function labelsOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines)].filter((line) => line !== '');
}
