import { Fragment, type ReactNode } from 'react';
import { isEmojiOnly } from './emoji-only.ts';
import type { Alignment, Block, Inline, ListItem } from '#web/markup/markup.ts';
import { markupParser } from '#web/markup/markup-parser.ts';
import { findMarkup, possibleSpoilers } from '#web/markup/message-markup.ts';
import { limitCombiningMarks } from '#contract/limit-combining-marks.ts';
import { getText } from '#web/get-text.ts';
import { useStore } from '#web/use-store.ts';
import { CostlyText } from './costly-text.tsx';
import { Formula } from './formula.tsx';
import { Mention, renderMentions } from './mention.tsx';
import { CodeBlock } from './code-block.tsx';
import { Spoiler } from './spoiler.tsx';
import styles from './message-text.module.css';

interface Props {
  text: string;
  /** The tabIndex of links, buttons and areas that scroll. */
  tabIndex: number;
  /** Follows the last words. */
  children?: ReactNode;
}

/** The text of a message with its markup. */
export function MessageText({ text: typedText, tabIndex, children }: Props) {
  const text = limitCombiningMarks(typedText);
  useStore(markupParser);
  const markup = findMarkup(text);
  if (!markup) {
    return (
      <p>
        {isEmojiOnly(text) ? (
          <span className={styles.emoji}>{text}</span>
        ) : (
          renderTyped(text, tabIndex)
        )}
        {children}
      </p>
    );
  }
  const { blocks, cost } = markup;
  const lastBlock = blocks.at(-1);
  const content = (
    <>
      {blocks.map((block, index) =>
        block === lastBlock && block.kind === 'paragraph' ? (
          <p key={index}>
            {renderInline(block.content, tabIndex)}
            {children}
          </p>
        ) : (
          <BlockElement key={index} block={block} tabIndex={tabIndex} />
        ),
      )}
      {children && lastBlock?.kind !== 'paragraph' && <p>{children}</p>}
    </>
  );
  if (cost === 0) return content;
  return (
    <CostlyText heightKey={text} cost={cost}>
      {content}
    </CostlyText>
  );
}

/** A text without markup, or before the parser has loaded. */
function renderTyped(text: string, tabIndex: number): ReactNode {
  const { index: start, 0: bars } = possibleSpoilers.exec(text) ?? {};
  if (start === undefined || bars === undefined) return renderMentions(text);
  return (
    <>
      {renderMentions(text.slice(0, start))}
      <Spoiler tabIndex={tabIndex}>{renderMentions(bars.slice(2, -2))}</Spoiler>
      {renderMentions(text.slice(start + bars.length))}
    </>
  );
}

function BlockElement({ block, tabIndex }: { block: Block; tabIndex: number }): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return <p>{renderInline(block.content, tabIndex)}</p>;
    case 'heading':
      // Not a heading of the page: messages would fill its outline.
      return (
        <p className={styles.heading} data-level={block.level}>
          <strong>{renderInline(block.content, tabIndex)}</strong>
        </p>
      );
    case 'quote':
      return (
        <blockquote className={styles.quote} dir="auto">
          {renderBlocks(block.blocks, tabIndex)}
        </blockquote>
      );
    case 'spoilerBlock':
      return (
        <Spoiler as="div" tabIndex={tabIndex}>
          {renderBlocks(block.blocks, tabIndex)}
        </Spoiler>
      );
    case 'list': {
      if (block.isOrdered) return <OrderedList items={block.items} tabIndex={tabIndex} />;
      return (
        <ul className={styles.list} dir="auto">
          {block.items.map(({ mark, blocks }, index) => (
            <li key={index} data-mark={mark.text}>
              {renderBlocks(blocks, tabIndex)}
            </li>
          ))}
        </ul>
      );
    }
    case 'codeBlock':
      return (
        <CodeBlock
          code={block.code.text}
          language={block.language}
          isPlain={block.isPlain}
          tabIndex={tabIndex}
        />
      );
    case 'formulaBlock':
      return renderFormula(block, true, tabIndex);
    case 'table':
      return <Table {...block} tabIndex={tabIndex} />;
  }
}

function renderBlocks(blocks: readonly Block[], tabIndex: number): ReactNode {
  return blocks.map((block, index) => (
    <BlockElement key={index} block={block} tabIndex={tabIndex} />
  ));
}

interface OrderedListProps {
  items: readonly ListItem[];
  tabIndex: number;
}

/** Each item has the number that was typed. The style shows it as it was typed: '007.' or '7)'. */
function OrderedList({ items, tabIndex }: OrderedListProps) {
  const longestMark = Math.max(...items.map(({ mark }) => mark.text.length));
  return (
    <ol
      className={styles.list}
      dir="auto"
      style={longestMark > 2 ? { paddingInlineStart: `${longestMark + 1.5}ch` } : undefined}
    >
      {items.map(({ mark, blocks }, index) => (
        <li
          key={index}
          value={Number.parseInt(mark.text, 10)}
          data-mark={mark.text}
          style={{ listStyleType: `"${mark.text} "` }}
        >
          {renderBlocks(blocks, tabIndex)}
        </li>
      ))}
    </ol>
  );
}

interface TableProps {
  alignments: readonly Alignment[];
  rows: readonly (readonly Inline[][])[];
  tabIndex: number;
}

function Table({ alignments, rows, tabIndex }: TableProps) {
  const [head = [], ...body] = rows;
  return (
    <div
      className={styles.table}
      role="group"
      aria-label={getText('ui.table.label')}
      tabIndex={tabIndex}
    >
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={column} scope="col" data-align={alignments[column]} dir="auto">
                {renderInline(cell, tabIndex)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} data-align={alignments[column]} dir="auto">
                  {renderInline(cell, tabIndex)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderInline(content: readonly Inline[], tabIndex: number): ReactNode {
  return content.map((part, index) => (
    <Fragment key={index}>
      {part.kind === 'text' && hasOwnLine(content[index - 1])
        ? part.text.slice(findClosing(part).length).replace(/^[ \t]*\n|^[ \t]+/, '')
        : renderInlinePart(part, tabIndex, hasOwnLine(part) ? findClosing(content[index + 1]) : '')}
    </Fragment>
  ));
}

/** What follows such a formula begins a line, so a typed space or line break in between would be one too many. */
function hasOwnLine(part: Inline | undefined): boolean {
  return part?.kind === 'formula' && part.display && !part.isPlain;
}

/** The punctuation directly after such a formula, which stays in its line. */
function findClosing(part: Inline | undefined): string {
  return part?.kind === 'text' ? (/^[.,;:!?]+(?=\s|$)/.exec(part.text)?.[0] ?? '') : '';
}

function renderInlinePart(part: Inline, tabIndex: number, closing: string): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'strong':
      return <strong>{renderInline(part.content, tabIndex)}</strong>;
    case 'emphasis':
      return <em>{renderInline(part.content, tabIndex)}</em>;
    case 'strike':
      return <del>{renderInline(part.content, tabIndex)}</del>;
    case 'spoiler':
      return <Spoiler tabIndex={tabIndex}>{renderInline(part.content, tabIndex)}</Spoiler>;
    case 'code':
      return (
        <code className={styles.code} translate="no">
          {renderMentions(part.code.text)}
        </code>
      );
    case 'formula':
      return renderFormula(part, part.display, tabIndex, closing);
    case 'mention':
      return <Mention memberId={part.memberId} isPlain={part.isPlain} />;
    case 'link':
      return (
        <>
          <a
            className={styles.link}
            href={part.href}
            title={part.title}
            target="_blank"
            rel="noreferrer noopener nofollow"
            tabIndex={tabIndex}
          >
            {renderInline(part.content, tabIndex)}
          </a>
          {part.target !== null && <bdi className="meta"> ({part.target})</bdi>}
        </>
      );
  }
}

type FormulaPart = Extract<Block | Inline, { formula: unknown }>;

function renderFormula(part: FormulaPart, display: boolean, tabIndex: number, closing = '') {
  const { formula, typedSource, isPlain } = part;
  return (
    <Formula
      source={formula.text}
      typedSource={typedSource}
      display={display}
      isPlain={isPlain}
      tabIndex={tabIndex}
      closing={closing}
    />
  );
}
