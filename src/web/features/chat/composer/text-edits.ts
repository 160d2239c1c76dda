// Edits of the message text. They are pure: `replace-text.ts` applies them to the field.
import type { Piece } from '#web/markup/markup.ts';
import { findMarkup } from '#web/markup/message-markup.ts';
import { isInCode } from './is-in-code.ts';
import type { FieldSelection, TextEdit } from './replace-text.ts';

export type Mark = '**' | '*' | '`' | '~~';

/** Adds the Markdown mark around the selection, or removes it. */
export function toggleMark({ text, from, to }: FieldSelection, mark: Mark): TextEdit {
  // A mark next to a space has no effect.
  const selectedText = text.slice(from, to);
  const spaces =
    selectedText.trim() === '' ? 0 : selectedText.length - selectedText.trimStart().length;
  const start = from + spaces;
  const end = start + selectedText.trim().length;
  const innerText = text.slice(start, end);
  const { length } = mark;
  if (hasMarkBefore(text, start, mark) && hasMarkAfter(text, end, mark)) {
    const selectFrom = start - length;
    const selectTo = end - length;
    return { from: start - length, to: end + length, insert: innerText, selectFrom, selectTo };
  }
  // At the end of marked text, the shortcut moves the caret behind the mark.
  if (innerText === '' && hasMarkAfter(text, end, mark)) {
    const selectFrom = end + length;
    return { from: end, to: end, insert: '', selectFrom, selectTo: selectFrom };
  }
  const isMarked = innerText.length > 2 * length && hasMarkAfter(innerText, 0, mark);
  if (isMarked && hasMarkBefore(innerText, innerText.length, mark)) {
    const insert = innerText.slice(length, -length);
    return { from: start, to: end, insert, selectFrom: start, selectTo: start + insert.length };
  }
  const insert = `${mark}${innerText}${mark}`;
  return { from: start, to: end, insert, selectFrom: start + length, selectTo: end + length };
}

/** Whether the run of mark characters that ends at the position contains this mark: `***` is `**` and `*`. */
function hasMarkBefore(text: string, position: number, mark: Mark): boolean {
  let length = 0;
  while (text[position - length - 1] === mark[0]) length += 1;
  return isMark(length, mark);
}

function hasMarkAfter(text: string, position: number, mark: Mark): boolean {
  let length = 0;
  while (text[position + length] === mark[0]) length += 1;
  return isMark(length, mark);
}

function isMark(length: number, mark: Mark): boolean {
  if (mark === '*') return length === 1 || length === 3;
  if (mark === '**') return length === 2 || length === 3;
  return length === mark.length;
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
  const code = text.slice(from, to);
  const longestRun = Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(Math.max(3, longestRun + 1));
  const lineBreakBefore = from === 0 || text[from - 1] === '\n' ? '' : '\n';
  const lineBreakAfter = text[to] === '\n' ? '' : '\n';
  const insert = `${lineBreakBefore}${marks}\n${code.replace(/\n$/, '')}\n${marks}${lineBreakAfter}`;
  const end = from + insert.length;
  return { from, to, insert, selectFrom: end, selectTo: end };
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
