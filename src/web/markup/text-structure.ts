// Where emphasis can stand in the source of a message, for the shortcuts that write it.
import { markdown } from './grammar.ts';
import { isTooComplex } from './parse-markup.ts';
import { parsePart } from './spoiler-grammar.ts';
import { findSpoilers } from '#contract/spoilers.ts';
import { isWordCharacter } from '#contract/word-boundary.ts';

export interface SourceRange {
  from: number;
  to: number;
}

/** A part of a line. `from` and `to` include its marks. An atom, such as code or an address, has no emphasis in it. */
export interface Span extends SourceRange {
  kind: 'strong' | 'emphasis' | 'strike' | 'link' | 'atom';
}

export interface TextStructure {
  /** The text of each line and table cell, without the marks of its block. Code and formulas in blocks have none. */
  lines: readonly SourceRange[];
  spans: readonly Span[];
  /** Whether the offset is inside of a word or of the name of a member, where no mark can be. */
  isInWord: (offset: number) => boolean;
}

const spanKinds: Readonly<Record<string, Span['kind']>> = {
  StrongEmphasis: 'strong',
  Emphasis: 'emphasis',
  Strikethrough: 'strike',
  Link: 'link',
  Image: 'link',
  Spoiler: 'link',
  InlineCode: 'atom',
  Formula: 'atom',
  DisplayFormula: 'atom',
  BareAddress: 'atom',
  URL: 'atom',
  Autolink: 'atom',
  Mention: 'atom',
};

const textBlock = /^(?:Paragraph|PlainLine|ATXHeading\d|TableCell)$/;

export function findTextStructure(source: string): TextStructure {
  const lines: SourceRange[] = [];
  const spans: Span[] = [];
  const addLines = (from: number, to: number) => {
    for (const { 0: line, index } of source.slice(from, to).matchAll(/\S(?:.*\S)?/g)) {
      lines.push({ from: from + index, to: from + index + line.length });
    }
  };
  const isInWord = (offset: number) => {
    const previous = source[offset - 1] ?? '';
    return (previous === '@' || isWordCharacter(previous)) && isWordCharacter(source[offset] ?? '');
  };
  if (isTooComplex(source)) {
    addLines(0, source.length);
    return { lines, spans, isInWord };
  }
  /** Where the text of the current block goes on. Null between such blocks. */
  let textStart: number | null = null;
  parsePart(markdown, source, findSpoilers(source)).iterate({
    enter({ name, from, to }) {
      const kind = spanKinds[name];
      if (kind) spans.push({ kind, from, to });
      if (textBlock.test(name)) {
        textStart = name === 'TableCell' && source[from] === '|' ? from + 1 : from;
      } else if (textStart !== null && (name === 'QuoteMark' || name === 'HeaderMark')) {
        addLines(textStart, from);
        textStart = to;
      }
    },
    leave({ name, to }) {
      if (textStart === null || !textBlock.test(name)) return;
      addLines(textStart, to);
      textStart = null;
    },
  });
  return { lines, spans, isInWord };
}
