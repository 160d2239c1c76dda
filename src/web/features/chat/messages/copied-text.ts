// What a selection in the room puts on the clipboard. The browser would leave out numbers, bullets and quote marks,
// because they are no text of the page, and would add names and times in lines of their own.

import { emptySpoiler } from '#contract/quote-text.ts';

/** A selected message. */
export interface CopiedMessage {
  /** Who wrote it, and when. */
  heading: string;
  /** The selected part of its text. */
  content: Node | null;
  /** Names what is not text: pictures, and the options of a poll. */
  additions: readonly string[];
}

/** @returns the text and the HTML of the messages, with the headings if there are several */
export function toCopiedText(messages: readonly CopiedMessage[]): { text: string; html: string } {
  const hasHeadings = messages.length > 1;
  const parts = messages.map(({ heading, content, additions }) => {
    const nodes = content ? [...content.childNodes] : [];
    return {
      text: [...(hasHeadings ? [heading] : []), renderText(nodes), ...additions]
        .filter(Boolean)
        .join('\n'),
      html: [
        hasHeadings ? `<p><b>${escapeHtml(heading)}</b></p>` : '',
        nodes.map(renderHtml).join(''),
        ...additions.map((line) => `<p>${escapeHtml(line)}</p>`),
      ].join(''),
    };
  });
  return {
    text: parts.map(({ text }) => text).join('\n\n'),
    html: parts.map(({ html }) => html).join(''),
  };
}

/** Buttons, drawings, and formulas: the source of a formula follows it. */
const leftOut = 'math, svg, button, [data-uncopied]';

const blocks = new Set('p div pre ul ol li blockquote table thead tbody tr'.split(' '));

const isElement = (node: Node): node is HTMLElement => node.nodeType === Node.ELEMENT_NODE;

const isDisplayedFormula = (node: Node) => isElement(node) && 'display' in node.dataset;

function renderText(nodes: readonly Node[]): string {
  let text = '';
  /** What follows a block begins a line. */
  let isAfterBlock = false;
  for (const node of nodes) {
    const part = renderNode(node);
    if (part === '') continue;
    const isFormula = isDisplayedFormula(node);
    const isBlock = isFormula || (isElement(node) && blocks.has(node.localName));
    const hasOwnLine = text === '' || (isFormula && text.endsWith('\n'));
    if ((isBlock || isAfterBlock) && !hasOwnLine) text += '\n';
    text += part;
    isAfterBlock = isBlock;
  }
  return text;
}

function renderNode(node: Node): string {
  if (!isElement(node)) return node.nodeType === Node.TEXT_NODE ? (node.nodeValue ?? '') : '';
  if (node.matches('[data-spoiler]')) return emptySpoiler;
  if (node.matches(leftOut)) return '';
  if (node.localName === 'tr') {
    return [...node.children].map((cell) => renderText([...cell.childNodes])).join('\t');
  }
  const text = renderText([...node.childNodes]);
  // A selection of lines ends at the start of the next item.
  if (text === '') return '';
  const lines = text.split('\n');
  switch (node.localName) {
    case 'blockquote':
      return lines.map((line) => `> ${line}`).join('\n');
    case 'li': {
      const mark = `${node.dataset['mark'] ?? '-'} `;
      return mark + lines.join(`\n${' '.repeat(mark.length)}`);
    }
    default:
      return text;
  }
}

/** The elements of a message, without what only this page understands. */
const kept = new Set(
  'p blockquote ul ol li pre code strong em del table thead tbody tr th td a'.split(' '),
);

function renderHtml(node: Node): string {
  if (!isElement(node)) {
    if (node.nodeType !== Node.TEXT_NODE) return '';
    const html = escapeHtml(node.nodeValue ?? '');
    return node.parentElement?.closest('pre') ? html : html.replaceAll('\n', '<br>');
  }
  if (node.matches('[data-spoiler]')) return emptySpoiler;
  if (node.matches(leftOut)) return '';
  const content = [...node.childNodes].map(renderHtml).join('');
  const { localName: name } = node;
  if (isDisplayedFormula(node) && node.nextSibling) return `${content}<br>`;
  if (!kept.has(name)) return content;
  if (name === 'li' && content === '') return '';
  const attribute = name === 'a' ? 'href' : 'value';
  const value = node.getAttribute(attribute);
  const attributes = value === null ? '' : ` ${attribute}="${escapeHtml(value)}"`;
  return `<${name}${attributes}>${content}</${name}>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
