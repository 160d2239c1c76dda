import type { ReactNode } from 'react';

/** Screen readers announce a new text only in an element that was there before, so render this also without content. */
export function Status({ children }: { children: ReactNode }) {
  return <div role="status">{children}</div>;
}
