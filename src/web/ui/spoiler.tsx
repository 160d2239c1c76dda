import { type ReactNode, useState } from 'react';
import { getText } from '#web/get-text.ts';
import styles from './spoiler.module.css';

interface Props {
  as?: 'span' | 'div';
  tabIndex: number;
  children: ReactNode;
}

const focus = (element: HTMLElement | null) => element?.focus({ preventScroll: true });

/** What its author has hidden. It is not in the page until the reader presses the button. */
export function Spoiler({ as: Element = 'span', tabIndex, children }: Props) {
  const [isShown, setIsShown] = useState(false);
  if (isShown) {
    return (
      // The pressed button is gone. With the focus here, a screen reader reads what was hidden.
      <Element ref={focus} className={styles.shown} tabIndex={-1}>
        {children}
      </Element>
    );
  }
  return (
    <button
      type="button"
      className={styles.hidden}
      data-spoiler
      tabIndex={tabIndex}
      onClick={() => setIsShown(true)}
    >
      {getText('common.spoiler')}
    </button>
  );
}
