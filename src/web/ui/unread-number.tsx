import { getText } from '#web/get-text.ts';
import { VisuallyHidden } from './visually-hidden.tsx';

interface Props {
  count: number;
  /** There may be more unread messages than the browser has counted. */
  hasMore: boolean;
}

/** Such as '57+', which a screen reader says as a sentence. */
export function UnreadNumber({ count, hasMore }: Props) {
  return (
    <>
      <span aria-hidden="true">
        {count}
        {hasMore && '+'}
      </span>
      <VisuallyHidden>
        {hasMore
          ? getText('classList.unread.more', { count })
          : getText('classList.unread', { count })}
      </VisuallyHidden>
    </>
  );
}
