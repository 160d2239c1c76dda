import { Fragment, type ReactNode, useSyncExternalStore } from 'react';
import type { Names } from '#contract/mentions.ts';
import { findMarkup, listPlainParts, markupParser } from '#web/markup/message-markup.ts';
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
  const content = (
    <div className={className} dir="auto">
      {listPlainParts(text, names).map((part, index) => (
        <Fragment key={index}>
          {part.isFormula ? (
            <Formula source={part.text} display={false} isPlain={false} tabIndex={-1} />
          ) : (
            part.text
          )}
        </Fragment>
      ))}
      {children}
    </div>
  );
  const cost = findMarkup(text)?.cost ?? 0;
  if (cost === 0) return content;
  return (
    // Its height is not the one of the message, which has the same text.
    <CostlyText text={`plain ${text}`} cost={cost}>
      {content}
    </CostlyText>
  );
}
