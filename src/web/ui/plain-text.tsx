import { Fragment, type ReactNode, useSyncExternalStore } from 'react';
import { type Names, replaceMentionsWithNames } from '#contract/mentions.ts';
import { findMarkup, markupParser, renderPiece } from '#web/markup/message-markup.ts';
import { CostlyText } from './costly-text.tsx';
import { Formula } from './formula.tsx';

interface Props {
  text: string;
  /** The names of mentioned members. */
  names: Names;
  className: string | undefined;
  /** Follows the text. */
  children?: ReactNode;
}

/** The readable text of a message, without marks and without anything to press. Its formulas are drawn in the line. */
export function PlainText({ text, names, className, children }: Props) {
  useSyncExternalStore(markupParser.subscribe, markupParser.getSnapshot);
  const markup = findMarkup(text);
  const content = (
    <div className={className} dir="auto">
      {markup
        ? markup.pieces.map((piece, index) => (
            <Fragment key={index}>
              {piece.kind === 'text' && piece.typedFormula !== undefined
                ? drawFormula(piece.text, piece.typedFormula)
                : renderPiece(piece, names)}
            </Fragment>
          ))
        : replaceMentionsWithNames(text, names)}
      {children}
    </div>
  );
  if (!markup || markup.cost === 0) return content;
  return (
    // Its height is not the one of the message, which has the same text.
    <CostlyText text={`plain ${text}`} cost={markup.cost}>
      {content}
    </CostlyText>
  );
}

function drawFormula(source: string, typedSource: string): ReactNode {
  return (
    <Formula
      source={source}
      typedSource={typedSource}
      display={false}
      isPlain={false}
      tabIndex={-1}
    />
  );
}
