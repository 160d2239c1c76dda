// Which runs of `*`, `_` and `~~` are marks. Stricter than CommonMark: '2*3*4', `__init__` and '(a)*(b)*(c)' are text.
import { InlineContext, type InlineParser } from '@lezer/markdown';
import { isSpacelessCharacter, isWordCharacter, wordPattern } from '#contract/word-boundary.ts';

const strikethrough = { resolve: 'Strikethrough', mark: 'EmphasisMark' };

/** A name with two underscores on each side, as in Python and C. */
const dunderName = new RegExp(
  `__+(?:${wordPattern})+(?:_+(?:${wordPattern})+)*__+(?!${wordPattern})`,
  'uy',
);

export const emphasis: InlineParser = {
  name: 'Emphasis',
  parse(context, _, pos) {
    const mark = context.slice(pos, pos + 1);
    if (mark === '' || !'*_~'.includes(mark)) return -1;
    let end = pos + 1;
    while (context.slice(end, end + 1) === mark) end++;
    // Three tildes or more, and one, strike nothing.
    if (mark === '~' && end - pos !== 2) return end;
    const { text, offset } = context;
    const { canOpen, canClose } = findSides(text, pos - offset, end - offset);
    if (mark === '_' && canOpen) {
      dunderName.lastIndex = pos - offset;
      const name = dunderName.exec(text)?.[0];
      if (name) return pos + name.length;
    }
    return context.addDelimiter(toDelimiter(mark), pos, end, canOpen, canClose);
  },
};

function toDelimiter(mark: string) {
  if (mark === '~') return strikethrough;
  return mark === '*' ? InlineContext.emphasisAsterisk : InlineContext.emphasisUnderscore;
}

/** What may stand before the first mark. No closing bracket, dot or slash, which belong to code and products. */
const outerStart =
  /^$|[\s\p{Ps}\p{Pi}\p{Pf}\p{Pd}\p{So}\p{Cf}\ufe0f\u20e3\u2190-\u21ff"':;,¡¿\ud800-\udfff]/u;
const innerStart = /^[^\s\p{Pe},;:]/u;
/** A pattern of files, such as '*.txt'. */
const filePattern = /^\.(?!\.)/;
/** No letter or digit may follow, and no opening bracket except that of a link. */
const outerEnd = /^(?!(?!\[)\p{Ps})[^\p{L}\p{M}\p{N}]|^$/u;
const innerEnd = /[^\s\p{Ps}]/u;

/** Whether the run of marks can begin and end emphasis: the text inside touches it, and no word does from outside. */
function findSides(text: string, from: number, to: number) {
  // Other marks around it do not count: in `**_a_**`, each run touches the 'a'.
  let start = from;
  let end = to;
  while (isMark(text[start - 1])) start--;
  while (isMark(text[end])) end++;
  const previous = text[start - 1] ?? '';
  const next = text[end] ?? '';
  // Such as a star in quotes.
  if (previous === next && !isWordCharacter(previous) && !isSpacelessCharacter(previous)) {
    return { canOpen: false, canClose: false };
  }
  const isSnakeCase = text[from] === '_' && /\p{L}/u.test(previous) && /\p{L}/u.test(next);
  const isFree = !isSnakeCase && (isSpacelessCharacter(previous) || isSpacelessCharacter(next));
  // Two stars are rarely anything else. A slash may be between bold words.
  const isDouble = to - from > 1;
  const isBesideBold = isDouble && previous === '/' && isMark(text[start - 2]);
  const canBegin =
    innerStart.test(text.slice(end, end + 1)) &&
    (isDouble || !filePattern.test(text.slice(end, end + 2)));
  const isEnd = outerEnd.test(next) || (isDouble && next === '(');
  return {
    canOpen: canBegin && (isFree || isBesideBold || outerStart.test(previous)),
    canClose: innerEnd.test(previous) && (isFree || isEnd),
  };
}

function isMark(character: string | undefined): boolean {
  return character !== undefined && '*_~'.includes(character);
}
