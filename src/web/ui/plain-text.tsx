import { Fragment, type ReactNode } from 'react';
import type { Personas } from '#contract/persona-name.ts';
import type { Piece } from '#web/markup/markup.ts';
import { markupParser } from '#web/markup/markup-parser.ts';
import { findMarkup, renderPiece, toPlainText } from '#web/markup/message-markup.ts';
import { useStore } from '#web/use-store.ts';
import { CostlyText } from './costly-text.tsx';
import { Formula } from './formula.tsx';
import styles from './plain-text.module.css';

interface Props {
  text: string;
  /** The names of mentioned members. */
  names: Personas;
  className: string | undefined;
  /** Follows the text. */
  children?: ReactNode;
}

/** The readable text of a message, without marks and without anything to press. Its formulas are drawn in the line. */
export function PlainText({ text, names, className, children }: Props) {
  useStore(markupParser);
  const markup = findMarkup(text);
  const content = (
    <div className={className} dir="auto">
      {markup
        ? markup.pieces.map((piece, index) => (
            <Fragment key={index}>{renderReadablePiece(piece, names)}</Fragment>
          ))
        : toPlainText(text, names)}
      {children}
    </div>
  );
  if (!markup || markup.cost === 0) return content;
  return (
    // Its height is not the one of the message, which has the same text.
    <CostlyText heightKey={`plain ${text}`} cost={markup.cost}>
      {content}
    </CostlyText>
  );
}

function renderReadablePiece(piece: Piece, names: Personas): ReactNode {
  if (piece.kind === 'mention') return renderPiece(piece, names);
  const { text, typedFormula, isCode } = piece;
  if (typedFormula !== undefined) {
    return (
      <Formula
        source={text}
        typedSource={typedFormula}
        display={false}
        isPlain={false}
        tabIndex={-1}
      />
    );
  }
  return isCode ? (
    <code className={styles.code} translate="no">
      {text}
    </code>
  ) : (
    text
  );
}
