// Edits of the message text. They are pure: `replace-text.ts` applies them to the field.
import type { Piece } from '#web/markup/markup.ts';
import { findMarkup, findTextStructure } from '#web/markup/message-markup.ts';
import type { SourceRange, Span } from '#web/markup/text-structure.ts';
import type { Format } from '#web/ui/shortcut-keys.ts';
import { isInCode } from './is-in-code.ts';
import type { FieldSelection, TextEdit } from './replace-text.ts';
import { toggleAtCaret, toggleEmphasis } from './toggle-emphasis.ts';

/** Formats the selection, or takes the format away. */
export function toggleFormat(selection: FieldSelection, format: Format): TextEdit {
  return format === 'code' ? toggleCode(selection) : toggleEmphasis(selection, format);
}

/** Makes a part of a line inline code, and several lines a block of code. */
function toggleCode(selection: FieldSelection): TextEdit {
  const { text, from, to } = selection;
  const trimmedText = text.slice(from, to).trim();
  if (trimmedText === '') return toggleAtCaret(selection, '`');
  const fenced = removeFence(selection);
  if (fenced) return fenced;
  const end = from + text.slice(from, to).trimEnd().length;
  // Lines of code keep their indentation.
  const start = end - trimmedText.length;
  if (!trimmedText.includes('\n')) {
    const range = growOverCutMarks(text, start, end);
    return toggleInlineCode(text, range.from, range.to);
  }
  const lineStart = Math.max(from, text.lastIndexOf('\n', start) + 1);
  const { before, code, after } = toFencedParts(text, lineStart, end);
  const selectFrom = lineStart + before.length;
  return {
    from: lineStart,
    to: end,
    insert: before + code + after,
    selectFrom,
    selectTo: selectFrom + code.length,
  };
}

/** Takes away the fences in or around the selection. Null: there are none. */
function removeFence({ text, from, to }: FieldSelection): TextEdit | null {
  const inside = /^\s*?(`{3,})([^`\n]*)\n(.*)\n\1[ \t]*\n?$/s.exec(text.slice(from, to));
  const [opening, mark = '', info = ''] =
    /(?<=^|\n)(`{3,})([^`\n]*)\n$/.exec(text.slice(0, from)) ?? [];
  const closing = new RegExp(`^\\n?${mark}[ \\t]*(?:\\n$|(?=\\n|$))`).exec(text.slice(to));
  if (!inside && (opening === undefined || !closing)) return null;
  const start = inside || opening === undefined ? from : from - opening.length;
  const end = inside || !closing ? to : to + closing[0].length;
  const code = inside ? (inside[3] ?? '') : text.slice(from, to).replace(/\n$/, '');
  const firstLine = (inside?.[2] ?? info).trim();
  const insert = firstLine ? `${firstLine}\n${code}` : code;
  const selectTo = start + insert.length;
  return { from: start, to: end, insert, selectFrom: start, selectTo };
}

const markLengths: Partial<Record<Span['kind'], number>> = { strong: 2, emphasis: 1, strike: 2 };

/** Code around one mark of a pair would leave the other one alone. */
function growOverCutMarks(text: string, from: number, to: number): SourceRange {
  const range = { from, to };
  for (const span of findTextStructure(text)?.spans.toReversed() ?? []) {
    const length = markLengths[span.kind];
    const isCut = span.from < range.to && range.from < span.to;
    if (length === undefined || !isCut) continue;
    const isInside = span.from + length <= range.from && range.to <= span.to - length;
    if (isInside) continue;
    range.from = Math.min(range.from, span.from);
    range.to = Math.max(range.to, span.to);
  }
  return range;
}

function toggleInlineCode(text: string, from: number, to: number): TextEdit {
  const code = text.slice(from, to);
  // A space separates a backtick of the code from its marks.
  const hasOuterBacktick = code.startsWith('`') || code.endsWith('`');
  const space = hasOuterBacktick ? ' ' : '';
  const [opening, mark] = new RegExp(`(?<!\`)(\`+)${space}$`).exec(text.slice(0, from)) ?? [];
  const closing = `${space}${mark ?? ''}`;
  if (opening && mark && new RegExp(`^${closing}(?!\`)`).test(text.slice(to))) {
    const start = from - opening.length;
    const end = to + closing.length;
    return {
      from: start,
      to: end,
      insert: code,
      selectFrom: start,
      selectTo: start + code.length,
    };
  }
  const [, innerMark = '', innerText = ''] = /^(`+)(?!`)(.*[^`])\1$/s.exec(code) ?? [];
  const runs = (source: string) => (source.match(/`+/g) ?? []).map(({ length }) => length);
  if (innerMark && !runs(innerText).includes(innerMark.length)) {
    const insert = /^ `.* $|^ .*` $/s.test(innerText) ? innerText.slice(1, -1) : innerText;
    return { from, to, insert, selectFrom: from, selectTo: from + insert.length };
  }
  let length = 1;
  while (runs(code).includes(length)) length += 1;
  const newMark = '`'.repeat(length);
  const selectFrom = from + length + space.length;
  return {
    from,
    to,
    insert: `${newMark}${space}${code}${space}${newMark}`,
    selectFrom,
    selectTo: selectFrom + code.length,
  };
}

/** Makes the selection a link to the pasted address. Null: paste the text as it is. */
export function linkSelection({ text, from, to }: FieldSelection, pasted: string): TextEdit | null {
  const address = pasted.trim();
  const label = text.slice(from, to);
  if (!/^https?:\/\/[^\s<>"`\\]+$/i.test(address) || !URL.canParse(address)) return null;
  if (label.trim() === '' || /[\n[\]`]|https?:\/\//i.test(label) || isInCode(text, from)) {
    return null;
  }
  // A round bracket would end the link.
  const escapedAddress = address.replaceAll('(', '%28').replaceAll(')', '%29');
  const insert = `[${label}](${escapedAddress})`;
  const end = from + insert.length;
  return { from, to, insert, selectFrom: end, selectTo: end };
}

/** Puts the pasted text, which begins at `from`, between two code fences on their own lines. */
export function wrapInFence(text: string, from: number, to: number): TextEdit {
  const { before, code, after } = toFencedParts(text, from, to);
  const insert = before + code + after;
  const end = from + insert.length;
  return { from, to, insert, selectFrom: end, selectTo: end };
}

function toFencedParts(text: string, from: number, to: number) {
  const code = text.slice(from, to).replace(/\n$/, '');
  const longestRun = Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(Math.max(3, longestRun + 1));
  const lineBreakBefore = from === 0 || text[from - 1] === '\n' ? '' : '\n';
  const lineBreakAfter = text[to] === '\n' ? '' : '\n';
  return {
    before: `${lineBreakBefore}${marks}\n`,
    code,
    after: `\n${marks}${lineBreakAfter}`,
  };
}

/** A line that ends as statements of most languages do, or starts as they do. */
const codeLine =
  /[;{}]\s*$|^\s*(?:[}\])]|\/\/|#include|@\w+$|(?:def|class|if|elif|for|while|with|function|public|private|static|import|from|return|const|let|var|int|void|fn|func|package|SELECT|select)\b.*[:;(){}=*]|<\/?[a-z][^>]*>\s*$)|^\s*\w[\w.[\]]*\s*(?:[-+*/]?=|:=)\s*\S/;

/** Whether pasted text of several lines is most likely program code. */
export function isLikelyCode(text: string): boolean {
  const lines = removeFormulas(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.length < 2) return false;
  const code = lines.filter((line) => codeLine.test(line)).length;
  const indented = lines.filter((line) => /^(?:\t| {2,})\S/.test(line)).length;
  return code >= lines.length / 2 || (code >= 1 && code + indented >= lines.length * 0.6);
}

/** The text without the formulas that the room draws, whose lines can look like code. */
function removeFormulas(text: string): string {
  const pieces = findMarkup(text)?.pieces ?? [];
  const isFormula = (piece: Piece) => piece.kind === 'text' && piece.typedFormula !== undefined;
  if (!pieces.some(isFormula)) return text;
  return pieces
    .map((piece) => (piece.kind === 'text' && !isFormula(piece) ? piece.text : ''))
    .join('');
}
