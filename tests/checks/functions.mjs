// Finds the functions of a C++ or TypeScript text and measures them, without a compiler: comments
// and literals are blanked, then every `{` that follows a parameter list opens a function body.

/** The text with comments and the insides of literals replaced by spaces; line breaks stay. */
export function blankLiterals(text) {
  const pattern = new RegExp(
    [
      /\/\/[^\n]*/,
      /\/\*[\s\S]*?\*\//, // comments
      /R"(\w*)\([\s\S]*?\)\1"/, // C++ raw strings
      /"(?:[^"\\\n]|\\.)*"/,
      /'(?:[^'\\\n]|\\.)*'/, // strings and characters
      /`(?:[^`\\]|\\[\s\S])*`/, // templates
      /(?<=[(,=:[!&|?{};\n]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/, // regular expressions
    ]
      .map((part) => part.source)
      .join('|'),
    'g',
  );
  return text.replace(pattern, (found, _raw, at) => {
    // The ' of a C++ number (1'000) opens no character.
    if (
      found.startsWith("'") &&
      /[0-9a-fA-F]/.test(text[at - 1] ?? '') &&
      /^'[0-9a-fA-F]/.test(found)
    )
      return found.replaceAll("'", ' ');
    return found.replace(/[^\n]/g, ' ');
  });
}

/** Index of the bracket that opens what closes at `end`, or -1. */
function opening(text, end) {
  const pairs = { ')': '(', '}': '{', ']': '[' };
  const close = text[end];
  let depth = 0;
  for (let i = end; i >= 0; i--) {
    if (text[i] === close) depth++;
    else if (text[i] === pairs[close] && --depth === 0) return i;
  }
  return -1;
}

/** Number of parameters between ( and ): commas outside brackets, plus one. */
export function countParameters(list) {
  if (list.trim() === '' || list.trim() === 'void') return 0;
  let depth = 0;
  let commas = 0;
  for (let i = 0; i < list.length; i++) {
    const letter = list[i];
    if ('([{<'.includes(letter)) depth++;
    else if (
      ')]}'.includes(letter) ||
      (letter === '>' && list[i - 1] !== '=' && list[i - 1] !== '-')
    )
      depth--;
    else if (letter === ',' && depth === 0) commas++;
  }
  return commas + (list.trimEnd().endsWith(',') ? 0 : 1);
}

const kControl = /\b(if|for|while|switch|catch|else|do|try|with)\s*(constexpr\s*)?$/;
/** What may stand between a parameter list and the body: qualifiers, return types, member initializers, `=>`. */
const kBetween =
  /^(?:\s|const|noexcept|override|final|mutable|=>|->\s*[\w:<>,&*\s]+|:\s*[\w.<>[\]|&?,\s'"{}();:]+)*$/;

/** The parameter list that a body at `brace` belongs to: { open, close } indices, or undefined. */
function listBefore(text, brace) {
  let close = brace - 1;
  while (close >= 0 && !')};'.includes(text[close])) close--;
  // A constructor's member initializers end in `)` or `}`: walk back over them to the list itself.
  for (let steps = 0; close >= 0 && steps < 40; steps++) {
    const open = text[close] === ';' ? -1 : opening(text, close);
    if (open < 0) return undefined;
    const before = text.slice(0, open).trimEnd();
    const member = /[,:]\s*[\w:]+(?:<[^;{}()]*>)?$/.exec(before);
    const isInitializer =
      member &&
      !/::\s*[\w~]+$/.test(before) &&
      !/[?\w]\s*:\s*[\w.]+$/.test(before.slice(before.lastIndexOf('\n') + 1) + '');
    if (text[close] === ')' && !isInitializer) return { open, close };
    if (!member) return undefined;
    close = before.slice(0, before.length - member[0].length).length - 1;
    while (close >= 0 && !')};'.includes(text[close])) close--;
  }
  return undefined;
}

/**
 * The outermost functions of a text: [{ name, line, lines, parameters }]. Functions inside
 * functions count as lines of the outer one.
 * @param {string} source
 */
export function functionsOf(source) {
  const text = blankLiterals(source);
  const found = [];
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '{' || !/\s/.test(text[i - 1] ?? '')) continue; // `x_{1}` initializes a member
    const list = listBefore(text, i);
    if (!list || !kBetween.test(text.slice(list.close + 1, i))) continue;
    const head = text.slice(0, list.open).trimEnd();
    if (kControl.test(head)) continue;
    let depth = 0;
    let end = i;
    for (; end < text.length; end++) {
      if (text[end] === '{') depth++;
      else if (text[end] === '}' && --depth === 0) break;
    }
    const name = /[\w$~#:.]+$/.exec(head)?.[0] ?? '';
    const nameLine = text.slice(0, head.length - name.length + 1).split('\n').length;
    found.push({
      name: name || '(anonymous)',
      line: nameLine,
      lines: text.slice(0, end).split('\n').length - nameLine + 1,
      parameters: countParameters(text.slice(list.open + 1, list.close)),
    });
    i = end;
  }
  return found;
}
