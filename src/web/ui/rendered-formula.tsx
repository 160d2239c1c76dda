import { createElement, type ReactNode } from 'react';
import { getText } from '#web/get-text.ts';
import { type MathElement, renderFormula } from '#web/markup/formula.ts';
import type { FormulaProps } from './formula-props.ts';
import styles from './formula.module.css';
import temmlStyles from './temml.module.css';

/** Longer formulas can be wider than a narrow screen. */
const maxUnbroken = 24;

/** The width of a message on A4 and Letter, in CSS pixels. */
const paperWidth = 640;

const listFormulas = () => document.querySelectorAll<HTMLElement>('main :has(> math)');

// Formulas have no line breaks, so a wide one would leave the paper. The listener of printing.ts has rendered all of them.
addEventListener('beforeprint', () => {
  const range = document.createRange();
  for (const formula of listFormulas()) {
    range.selectNodeContents(formula.firstElementChild ?? formula);
    const scale = paperWidth / range.getBoundingClientRect().width;
    if (scale < 1) formula.style.fontSize = `${scale}em`;
  }
});
addEventListener('afterprint', () => {
  for (const formula of listFormulas()) formula.style.fontSize = '';
});

/** A formula, or its source and the mistake in it. */
export function RenderedFormula(props: FormulaProps) {
  const { source, typedSource, display, tabIndex, closing } = props;
  const formula = renderFormula(source, display);
  if ('message' in formula) {
    const position = typedSource.indexOf(source) + formula.offset;
    return (
      <span className={styles.wrong}>
        <code translate="no">
          {typedSource.slice(0, position)}
          <span className={styles.mistake}>{typedSource.slice(position, position + 1)}</span>
          {typedSource.slice(position + 1)}
        </code>
        {closing}
        <span className={styles.reason}> {formula.message}</span>
      </span>
    );
  }
  const isLong = source.length > maxUnbroken;
  const canScroll = display || isLong;
  const inlineStyle = isLong ? styles.long : styles.inline;
  return (
    <span
      className={display ? styles.display : inlineStyle}
      data-display={display || undefined}
      translate="no"
      {...(canScroll && { role: 'group', 'aria-label': getText('ui.formula.label'), tabIndex })}
    >
      {renderMathElement(formula)}
      <span className={styles.copied} aria-hidden="true">
        {typedSource}
      </span>
      {closing}
    </span>
  );
}

function renderMathElement({
  name,
  attributes,
  className,
  style,
  children,
}: MathElement): ReactNode {
  // Only the classes that the style sheet has.
  const classes = className.split(' ').flatMap((cssClass) => temmlStyles[cssClass] ?? []);
  return createElement(
    name,
    { ...attributes, className: classes.join(' ') || undefined, style },
    ...children.map((child) => (typeof child === 'string' ? child : renderMathElement(child))),
  );
}
