import type { ReactNode } from 'react';
import styles from './visually-hidden.module.css';

interface Props {
  /** A heading needs a `div` around it. */
  as?: 'div' | 'span';
  children: ReactNode;
}

export function VisuallyHidden({ as: Element = 'span', children }: Props) {
  return (
    <Element className={styles.hidden} data-uncopied>
      {children}
    </Element>
  );
}
