import type { ReactNode } from 'react';

interface Props {
  /** A heading needs a `div` around it. */
  as?: 'div' | 'span';
  children: ReactNode;
}

export function VisuallyHidden({ as: Element = 'span', children }: Props) {
  return (
    <Element className="unseen" data-uncopied>
      {children}
    </Element>
  );
}
