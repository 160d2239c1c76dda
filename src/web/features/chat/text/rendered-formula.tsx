import { createElement, type ReactNode } from 'react';
import { type MathElement, renderFormula } from '#web/markup/formula.ts';
import { type FormulaProps, toTypedFormula } from './typed-formula.ts';
import styles from './formula.module.css';

/** Longer formulas can be wider than a narrow screen. */
const maxUnbroken = 24;

/** A formula, or its source and the mistake in it. */
export function RenderedFormula(props: FormulaProps) {
  const { source, display, tabIndex } = props;
  const formula = renderFormula(source, display);
  const typed = toTypedFormula(props);
  if ('message' in formula) {
    const at = typed.indexOf(source) + formula.offset;
    return (
      <span className={styles.wrong}>
        <code>
          {typed.slice(0, at)}
          <span className={styles.mistake}>{typed.slice(at, at + 1)}</span>
          {typed.slice(at + 1)}
        </code>
        <span className={styles.reason}> {formula.message}</span>
      </span>
    );
  }
  const isLong = source.length > maxUnbroken;
  const scrolls = display || isLong;
  const inlineStyle = isLong ? styles.long : styles.inline;
  return (
    <span
      className={display ? styles.display : inlineStyle}
      {...(scrolls && { role: 'group', 'aria-label': 'Formula', tabIndex })}
    >
      {renderMathElement(formula)}
      <span className={styles.copied} aria-hidden="true">
        {typed}
      </span>
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
  const classes = className.split(' ').flatMap((one) => styles[one] ?? []);
  return createElement(
    name,
    { ...attributes, className: classes.join(' ') || undefined, style },
    ...children.map((child) => (typeof child === 'string' ? child : renderMathElement(child))),
  );
}
