// The plot: how many times faster than transformers.js q8, by length of the text, as SVG that is
// legible on light and dark pages.

import { kPairs } from './contestants.mjs';
import { ratioOf } from './ratio.mjs';

const kWidth = 720;
const kHeight = 320;
const kLeft = 44;
const kRight = 12;
const kTop = 64;
const kBottom = 44;

const kStyle = `text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-size: 15px; font-weight: 600 }
.grid { stroke: #8c959f; stroke-opacity: .35 } .one { stroke: #57606a; stroke-dasharray: 4 3 }
.spread { stroke: #24292f; stroke-width: 1.2 }
.s0 { fill: #1f6feb } .s1 { fill: #bc4c00 } .s2 { fill: #8250df }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .spread { stroke: #e6edf3 } .one { stroke: #9198a1 }
  .s0 { fill: #58a6ff } .s1 { fill: #f0883e } .s2 { fill: #bc8cff }
}`;

const escaped = (text) =>
  text.replace(/[&<>]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter]);
const fixed = (value) => Number(value.toFixed(1));

/** [{ label, values: [summary or undefined, one a pair] }] of the lengths that were measured. */
function groupsOf(result) {
  return result.measures
    .filter(({ id }) => /^tokens-\d+$/.test(id) || id === 'batch-32')
    .map(({ id }) => ({
      label: id === 'batch-32' ? '32 texts' : id.slice('tokens-'.length),
      values: kPairs.map(({ ours, peer }) => ratioOf(result, id, ours, peer)),
    }));
}

/** A step of 0.5, 1, 2, 5, … that gives at most six lines up to `highest`. */
function stepFor(highest) {
  return [0.5, 1, 2, 5, 10, 20, 50, 100].find((step) => highest / step <= 6) ?? highest / 6;
}

function bars({ values }, left, width, y) {
  const bar = width / values.length;
  return values.map((value, i) => {
    if (!value) return '';
    const x = left + i * bar;
    const middle = fixed(x + bar / 2);
    return `<rect class="s${i}" x="${fixed(x + 1)}" y="${fixed(y(value.median))}" width="${fixed(bar - 2)}" height="${fixed(y(0) - y(value.median))}"><title>${value.median.toFixed(2)}×</title></rect>
<line class="spread" x1="${middle}" x2="${middle}" y1="${fixed(y(value.q1))}" y2="${fixed(y(value.q3))}"/>`;
  });
}

const legend = () =>
  kPairs.map(({ label }, i) => {
    const x = kLeft + i * 220;
    return `<rect class="s${i}" x="${x}" y="36" width="11" height="11"/><text x="${x + 17}" y="46">${escaped(label)}</text>`;
  });

/**
 * @param {object} result what bench.mjs wrote as JSON
 * @returns {string} an SVG document
 */
export function plot(result) {
  const groups = groupsOf(result);
  const tops = groups.flatMap(({ values }) =>
    values.map((value) => Math.max(value?.q3 ?? 0, value?.median ?? 0)),
  );
  const highest = Math.max(1, ...tops) * 1.05;
  const y = (value) => kHeight - kBottom - (value / highest) * (kHeight - kTop - kBottom);
  const step = stepFor(highest);
  const lines = [];
  for (let value = 0; value <= highest; value += step)
    lines.push(`<line class="grid" x1="${kLeft}" x2="${kWidth - kRight}" y1="${fixed(y(value))}" y2="${fixed(y(value))}"/>
<text x="${kLeft - 8}" y="${fixed(y(value) + 4)}" text-anchor="end">${value}×</text>`);
  const room = (kWidth - kLeft - kRight) / Math.max(1, groups.length);
  const columns = groups.map((group, i) => {
    const left = kLeft + i * room;
    return `${bars(group, left + room * 0.14, room * 0.72, y).join('\n')}
<text x="${fixed(left + room / 2)}" y="${kHeight - kBottom + 18}" text-anchor="middle">${escaped(group.label)}</text>`;
  });
  const title = 'Times faster than transformers.js with onnxruntime-web q8, all-MiniLM-L6-v2';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${kWidth} ${kHeight}" role="img" aria-label="${title}">
<style>${kStyle}</style>
<text class="title" x="${kLeft}" y="20">${title}</text>
${legend().join('\n')}
${lines.join('\n')}
<line class="one" x1="${kLeft}" x2="${kWidth - kRight}" y1="${fixed(y(1))}" y2="${fixed(y(1))}"/>
${columns.join('\n')}
<text x="${kWidth / 2}" y="${kHeight - 8}" text-anchor="middle">tokens of the text (whole call: string in, vector out)</text>
</svg>
`;
}
