/** A question and a text: where in the text the answer stands. */

import { Reader, type Answer, type Embedder, type ModelInfo } from 'pocketbert';

import { drawBars } from '../bars.js';
import { byId, debounce } from '../element.js';
import { countWork, type Running } from '../engine.js';
import { formatRate } from '../format.js';
import { drawMarked } from '../marked_text.js';
import type { Report } from '../slow_bar.js';
import { statusLine, TaskPanel, type Lack } from './task_panel.js';

const sampleQuestion = 'Who built the bridge?';
const sampleContext =
  'The old bridge over the strait was built by Anna Stone in 1908, after two ferries had sunk in ' +
  'one winter. It was painted green until 1952. Today 9,000 cars cross it every day, and on ' +
  'Sundays it belongs to cyclists and the 🦉 that nests below its northern arch.';

const markup = `
<div class="columns">
  <div>
    <label for="answers-question">Question</label>
    <input id="answers-question" type="search" dir="auto" autocomplete="off" />
    <label for="answers-context" class="next">Text that may hold the answer</label>
    <textarea id="answers-context" rows="9" dir="auto" spellcheck="false"></textarea>
    <div class="choices">
      <span class="pair"><label for="answers-count">Answers</label> <select id="answers-count"><option>1</option><option selected>3</option><option>5</option></select></span>
      <label class="tick"><input id="answers-none" type="checkbox" checked aria-describedby="answers-none-hint" /> There may be none</label>
    </div>
    <p id="answers-none-hint" class="hint">Models that never saw a question without an answer (SQuAD 1) do not know when to be silent: without the tick the best stretch of the text is shown, however unsure.</p>
  </div>
  <div>
    <p class="label">Best answers</p>
    ${statusLine('answers')}
    <div id="answers-list" class="bars wide" role="list" aria-label="Answers with scores"></div>
    <p class="label next">Where they stand</p>
    <div id="answers-view" class="tokens outcome" dir="auto" role="region" aria-label="The text with the answers marked"></div>
  </div>
</div>`;

export class AnswersPanel extends TaskPanel<Reader> {
  readonly #question = byId('answers-question', HTMLInputElement);
  readonly #context = byId('answers-context', HTMLTextAreaElement);
  readonly #count = byId('answers-count', HTMLSelectElement);
  readonly #none = byId('answers-none', HTMLInputElement);

  constructor(root: HTMLElement) {
    super('answers', root, markup);
    this.#question.value = sampleQuestion;
    this.#context.value = sampleContext;
    const update = debounce(120, () => void this.run());
    for (const field of [this.#question, this.#context]) field.addEventListener('input', update);
    for (const field of [this.#count, this.#none]) field.addEventListener('change', update);
  }

  protected override lackOf({ tasks }: ModelInfo): Lack | null {
    return tasks.includes('answer')
      ? null
      : {
          cannot: 'does not find answers in a text',
          load: 'a question-answering model like distilbert-base-cased-distilled-squad',
        };
  }

  protected override open(model: Embedder): Promise<Reader> {
    return Reader.create({ model });
  }

  protected override async work(reader: Reader, running: Running, report: Report): Promise<void> {
    const question = this.#question.value.trim();
    const context = this.#context.value;
    if (question === '' || context.trim() === '') {
      this.#draw(context, []);
      return this.tell(question === '' ? 'Ask a question.' : 'There is no text to read yet.');
    }
    const start = performance.now();
    const [answers, counts] = await Promise.all([
      reader.answer(question, context, {
        top_k: Number(this.#count.value),
        handle_impossible_answer: this.#none.checked,
        supersede: 'answer',
        onProgress: report,
      }),
      reader.countTokens([{ text: question, pair: context }], { supersede: 'count' }),
    ]);
    const tokens = countWork(running, 1, counts[0] ?? 0);
    const shown = answers.filter(isFirst);
    const silent = answers[0]?.answer === '';
    const what = silent ? 'The text seems to hold no answer' : 'One question';
    this.tell(`${formatRate(what, tokens, performance.now() - start)}.`);
    this.#draw(context, shown);
  }

  #draw(context: string, answers: readonly Answer[]): void {
    drawBars(
      byId('answers-list', HTMLElement),
      answers.map(({ answer, score }) => ({
        label: answer === '' ? '(no answer in the text)' : answer.trim(),
        share: score,
      })),
    );
    const marks = answers.map(({ start, end }, rank) => ({
      start,
      end,
      look: rank === 0 ? 'best' : 'other',
    }));
    drawMarked(byId('answers-view', HTMLElement), context, marks);
  }
}

/** Windows overlap, so that a stretch can be found twice: the better find is shown. */
function isFirst({ start, end }: Answer, index: number, all: readonly Answer[]): boolean {
  return all.findIndex((other) => other.start === start && other.end === end) === index;
}
