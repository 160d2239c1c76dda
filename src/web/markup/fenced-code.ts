import type { BlockParser, Line } from '@lezer/markdown';
import { addParagraph, getDepth } from './block-context.ts';

/**
 * A block of code. Unlike CommonMark, a fence at the end of a line ends the block, and the first line is code unless it
 * names a language.
 */
export const fencedCode: BlockParser = {
  name: 'FencedCode',
  parse(context, line) {
    const mark = findFence(line);
    if (mark === '') return false;
    const from = context.lineStart + line.pos;
    const children = [context.elt('CodeMark', from, from + mark.length)];
    const info = line.text.slice(line.pos + mark.length).trim();
    const infoFrom = context.lineStart + line.text.indexOf(info, line.pos + mark.length);
    if (info) children.push(context.elt('CodeInfo', infoFrom, infoFrom + info.length));
    const closing = new RegExp(`(?<!${mark[0]})${mark}${mark[0]}*([.,;:!?)]*)\\s*$`);
    /** The place and the text of the punctuation after the closing fence. It becomes a paragraph after the block. */
    let tail: { text: string; from: number } | null = null;
    while (context.nextLine() && getDepth(line) >= context.depth) {
      children.push(...line.markers);
      const code = line.text.slice(line.basePos);
      const codeFrom = context.lineStart + Math.min(line.basePos, line.text.length);
      const match = closing.exec(code);
      // A fence without code before it can also be of tildes, but not be indented like code.
      const isAlone = match !== null && code.slice(0, match.index).trim() === '';
      if (match && (isAlone ? line.indent - line.baseIndent < 4 : mark.startsWith('`'))) {
        if (!isAlone) children.push(context.elt('CodeText', codeFrom, codeFrom + match.index));
        const text = match[1] ?? '';
        tail = { text, from: codeFrom + code.trimEnd().length - text.length };
        context.nextLine();
        break;
      }
      children.push(context.elt('CodeText', codeFrom, codeFrom + code.length));
    }
    const to = tail ? tail.from : context.prevLineEnd();
    context.addElement(context.elt('FencedCode', from, to, children));
    if (tail?.text) addParagraph(context, tail.text, tail.from);
    return true;
  },
  endLeaf: (_, line) => findFence(line) !== '',
};

/** The fence with which the line begins, or ''. Code in the first line can have shorter marks in pairs. */
function findFence(line: Line): string {
  const text = line.text.slice(line.pos);
  const [fence = ''] = /^(?:`{3,}|~{3,})/.exec(text) ?? [];
  if (!fence.startsWith('`')) return fence;
  const rest = text.slice(fence.length);
  return rest.includes(fence) || rest.replace(/(?<!`)(`+)[^`]+\1/g, '').includes('`') ? '' : fence;
}
