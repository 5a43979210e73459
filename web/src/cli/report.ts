/** The report of a conversion, as text and as JSON. */

import type { Conversion, TensorReport } from './convert.js';
import { unmeasured } from './fidelity.js';

const scaleSuffix = '_scale';

/** Tells 23,012,345 as "23.0 MB". */
export function megabytes(bytes: number): string {
  return bytes < 1e5 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 1)} MB`;
}

export function bytesOf({ parts }: Conversion): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** Signal to quantization noise in decibels. */
function decibels(relativeError: number): number {
  return -20 * Math.log10(relativeError);
}

/** Lines of a table; the first column is flush left, the others flush right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ').trimEnd(),
  );
}

/** Bytes with those of the scales that belong to a quantized tensor. */
function bytesWithScales(tensor: TensorReport, tensors: readonly TensorReport[]): number {
  const scale = tensors.find(({ name }) => name === tensor.name + scaleSuffix);
  return tensor.bytes + (scale?.bytes ?? 0);
}

function tensorLines({ tensors }: Conversion): string[] {
  const quantized = tensors.filter(({ relativeError }) => relativeError !== undefined);
  if (quantized.length === 0) return [`${tensors.length} tensors, none quantized`];
  const rows = quantized.map((tensor) => {
    const { name, shape, relativeError = 0 } = tensor;
    const noise = relativeError > 0 ? `${decibels(relativeError).toFixed(1)} dB` : 'exact';
    const bytes = bytesWithScales(tensor, tensors).toLocaleString('en-US');
    return [name, shape.join(' x '), bytes, `${(100 * relativeError).toFixed(3)} %`, noise];
  });
  const others = tensors.filter(({ name, dtype, relativeError }) =>
    dtype === 'F32' && relativeError === undefined && !name.endsWith(scaleSuffix));
  const bytes = others.reduce((sum, tensor) => sum + tensor.bytes, 0);
  return [
    ...table([['tensor', 'shape', 'bytes', 'relative error', 'SQNR'], ...rows]),
    `${quantized.length} tensors quantized; ${others.length} kept as float32 (${megabytes(bytes)})`,
  ];
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}

function comparisonLines({ comparison }: Conversion): string[] {
  if (comparison === undefined) return [];
  const { texts, cosine, scores = {} } = comparison;
  const lines = cosine === undefined ? [] : [
    `cosine to float32 over ${texts} texts: mean ${cosine.mean.toFixed(5)}, min ${cosine.min.toFixed(5)} (${excerpt(cosine.worst_text)})`,
  ];
  for (const [head, { mean, max, same_label: same }] of Object.entries(scores)) {
    const share = `${(100 * same).toFixed(1)} %`;
    lines.push(`scores of head ${head}: difference to float32 mean ${mean.toFixed(5)}, max ${max.toFixed(5)}; same best label for ${share}`);
  }
  return lines;
}

/** What the report does not tell: only the weights of these heads were compared. */
function unmeasuredLines({ info }: Conversion): string[] {
  const tasks = info.precision === 'int8' ? unmeasured(info.tasks) : [];
  return tasks.length === 0 ? [] : [`not measured: what int8 costs the results of ${tasks.join(', ')}`];
}

/** The report as lines of text. */
export function reportText(conversion: Conversion, out: string): string[] {
  const { modelType, precision, layers, hiddenSize, tasks, tokenizer } = conversion.info;
  return [
    `${out}: ${precision}, ${megabytes(bytesOf(conversion))}; ${modelType}, ${layers} layers of ${hiddenSize}, ` +
      `vocabulary of ${tokenizer.vocabularySize}; ${tasks.join(', ')}`,
    '',
    ...tensorLines(conversion),
    ...comparisonLines(conversion),
    ...unmeasuredLines(conversion),
  ];
}

/** The report as a JSON value. */
export function reportJson(conversion: Conversion, out: string): { readonly [key: string]: unknown } {
  const { info, tensors, comparison } = conversion;
  return {
    file: out,
    bytes: bytesOf(conversion),
    precision: info.precision,
    model_type: info.modelType,
    ...comparison,
    ...(info.precision === 'int8' && { not_measured: unmeasured(info.tasks) }),
    tensors: tensors.map(({ name, dtype, shape, bytes, relativeError }) => ({
      name, dtype, shape, bytes, ...(relativeError !== undefined && { relative_error: relativeError }),
    })),
  };
}
