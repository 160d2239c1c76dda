import { findTextStructure } from '#web/markup/message-markup.ts';
import type { SourceRange, Span, TextStructure } from '#web/markup/text-structure.ts';
import type { FieldSelection, TextEdit } from './replace-text.ts';

type Emphasis = 'bold' | 'italic' | 'strike';
type Mark = '**' | '*' | '~~' | '`';

const marks = { bold: '**', italic: '*', strike: '~~' } as const;
const spanKinds = { bold: 'strong', italic: 'emphasis', strike: 'strike' } as const;

/** Replaces `length` characters of the text. */
interface Change {
  at: number;
  length: number;
  insert: string;
}

/**
 * Emphasizes the selected text, or takes the emphasis away if all of it has it. Emphasis crosses no line, no cell of a table and no
 * mark of a list, so each of these gets its own marks.
 */
export function toggleEmphasis(selection: FieldSelection, emphasis: Emphasis): TextEdit {
  const { text, from, to } = selection;
  const mark = marks[emphasis];
  if (text.slice(from, to).trim() === '') return toggleAtCaret(selection, mark);
  const structure = findTextStructure(text) ?? toLines(text);
  const { spans } = structure;
  const parts = structure.lines.flatMap((line) => clip(structure, text, line, selection) ?? []);
  // Code and formulas have no emphasis.
  if (parts.length === 0) return { from, to: from, insert: '', selectFrom: from, selectTo: to };
  const parsedSpans = spans.filter(({ kind }) => kind === spanKinds[emphasis]);
  const typedSpans = parts
    .filter((part) => !isInside(part, parsedSpans))
    .flatMap((part) => findTypedMarks(text, part, mark) ?? []);
  const emphasizedSpans: readonly SourceRange[] = [...parsedSpans, ...typedSpans];
  const plainParts = parts.filter((part) => !isInside(part, emphasizedSpans));
  if (plainParts.length > 0) {
    const grownParts = growOverSpans(plainParts, spans);
    const changes = addMarks(grownParts, emphasizedSpans, mark);
    return toEdit(text, changes, join([...parts, ...grownParts]));
  }
  const changes = emphasizedSpans.flatMap((span) => {
    const atoms = spans
      .filter((inner) => span.from < inner.from && inner.to < span.to)
      .map((inner) => ({ ...inner, kind: 'atom' as const }));
    return removeMarks(text, growOverSpans(parts, atoms), span, mark);
  });
  return toEdit(text, changes, join(parts));
}

/** The structure of the text while the parser loads. */
function toLines(text: string): TextStructure {
  const lines = [...text.matchAll(/.+/g)].map(({ 0: line, index }) => ({
    from: index,
    to: index + line.length,
  }));
  return { lines, spans: [], isInWord: () => false };
}

function join(ranges: readonly SourceRange[]): SourceRange {
  return {
    from: Math.min(...ranges.map(({ from }) => from)),
    to: Math.max(...ranges.map(({ to }) => to)),
  };
}

function isInside({ from, to }: SourceRange, ranges: readonly SourceRange[]): boolean {
  return ranges.some((range) => range.from <= from && to <= range.to);
}

/** The selected words of the line: no mark touches a space, and none is inside of a word (MARKUP-29). */
function clip(
  { isInWord }: TextStructure,
  text: string,
  line: SourceRange,
  selection: SourceRange,
): SourceRange | null {
  const selectedFrom = Math.max(line.from, selection.from);
  const selectedText = text.slice(selectedFrom, Math.min(line.to, selection.to));
  const words = /[^\s\p{Pe},;:].*(?<![\s\p{Ps}])/su.exec(selectedText);
  if (!words) return null;
  let from = selectedFrom + words.index;
  let to = from + words[0].length;
  while (from > line.from && isInWord(from)) from -= 1;
  while (to < line.to && isInWord(to)) to += 1;
  return { from, to };
}

/** The part with its marks, which may be in a place where the room shows them as typed. */
function findTypedMarks(text: string, part: SourceRange, mark: Mark): SourceRange | null {
  const { length } = mark;
  const isMarkOutside = [hasMarkBefore(text, part.from, mark), hasMarkAfter(text, part.to, mark)];
  const from = isMarkOutside[0] ? part.from - length : part.from;
  const to = isMarkOutside[1] ? part.to + length : part.to;
  const isMarked = hasMarkAfter(text, from, mark) && hasMarkBefore(text, to, mark);
  const content = text.slice(from + length, to - length);
  return isMarked && content !== '' && !content.includes(mark) ? { from, to } : null;
}

/** Takes the emphasis of the span from the parts. What else is in the span keeps it. */
function removeMarks(
  text: string,
  parts: readonly SourceRange[],
  span: SourceRange,
  mark: Mark,
): Change[] {
  const { length } = mark;
  const inner = { from: span.from + length, to: span.to - length };
  const partsInSpan = parts.filter(({ from, to }) => from < span.to && span.from < to);
  const [first] = partsInSpan;
  const last = partsInSpan.at(-1);
  if (!first || !last) return [];
  const textBefore = text.slice(inner.from, Math.max(inner.from, first.from)).trimEnd();
  const textAfter = text.slice(Math.min(inner.to, last.to), inner.to).trimStart();
  return [
    textBefore
      ? { at: inner.from + textBefore.length, length: 0, insert: mark }
      : { at: span.from, length, insert: '' },
    textAfter
      ? { at: inner.to - textAfter.length, length: 0, insert: mark }
      : { at: inner.to, length, insert: '' },
  ];
}

/** Puts one pair of marks around each part. The marks inside of it go. */
function addMarks(
  parts: readonly SourceRange[],
  spans: readonly SourceRange[],
  mark: Mark,
): Change[] {
  const { length } = mark;
  return parts.flatMap((part) => [
    { at: part.from, length: 0, insert: mark },
    ...spans
      .filter((span) => isInside(span, [part]))
      .flatMap(({ from, to }) => [
        { at: from, length, insert: '' },
        { at: to - length, length, insert: '' },
      ]),
    { at: part.to, length: 0, insert: mark },
  ]);
}

/** Marks can be around a span or in its text, but not on one side of it, and never in code or an address. */
function growOverSpans(parts: readonly SourceRange[], spans: readonly Span[]): SourceRange[] {
  const grownParts: SourceRange[] = [];
  for (const part of parts) {
    const grownPart = { ...part };
    for (const { kind, from, to } of spans.toReversed()) {
      const isCut = from < grownPart.to && grownPart.from < to;
      const isAround = kind !== 'atom' && from < grownPart.from && grownPart.to < to;
      if (!isCut || isAround) continue;
      grownPart.from = Math.min(grownPart.from, from);
      grownPart.to = Math.max(grownPart.to, to);
    }
    const previousPart = grownParts.at(-1);
    if (previousPart && grownPart.from < previousPart.to) {
      previousPart.to = Math.max(previousPart.to, grownPart.to);
    } else {
      grownParts.push(grownPart);
    }
  }
  return grownParts;
}

/** One edit that makes all changes. It selects the range again, without the marks that are new around it. */
function toEdit(text: string, changes: readonly Change[], selection: SourceRange): TextEdit {
  const sortedChanges = changes.toSorted((change, other) => change.at - other.at);
  const from = sortedChanges[0]?.at ?? selection.from;
  let to = from;
  let insert = '';
  let selectFrom = selection.from;
  let selectTo = selection.to;
  for (const change of sortedChanges) {
    const { at, length } = change;
    const growth = change.insert.length - length;
    insert += text.slice(to, at) + change.insert;
    to = at + length;
    // The selection can begin and end inside of a mark that goes.
    if (at < selection.from || to === selection.from) {
      selectFrom += Math.max(growth, at - selection.from);
    }
    if (at < selection.to) selectTo += Math.max(growth, at - selection.to);
  }
  return { from, to, insert, selectFrom, selectTo: Math.max(selectFrom, selectTo) };
}

/** Inserts a pair of marks around the caret, removes an empty pair, or moves the caret behind the mark at the end. */
export function toggleAtCaret({ text, from }: FieldSelection, mark: Mark): TextEdit {
  const { length } = mark;
  const isBeforeMark = hasMarkAfter(text, from, mark);
  if (isBeforeMark && hasMarkBefore(text, from, mark)) {
    const selectFrom = from - length;
    return { from: selectFrom, to: from + length, insert: '', selectFrom, selectTo: selectFrom };
  }
  const caret = from + length;
  const insert = isBeforeMark ? '' : mark + mark;
  return { from, to: from, insert, selectFrom: caret, selectTo: caret };
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
