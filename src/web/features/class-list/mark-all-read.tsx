import type { MouseEvent } from 'react';
import { useClasses } from '#web/data/classes.ts';
import { getText } from '#web/get-text.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { useNotify } from '#web/ui/notices.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { keepTextFocus } from '#web/ui/use-input-modality.ts';
import { useTotalUnread } from './unread-count.tsx';

/** Marks every class as read, if anything is unread. */
export function MarkAllRead({ live }: { live: LiveClient }) {
  const classes = useClasses().data ?? [];
  const total = useTotalUnread(live);
  const notify = useNotify();
  if (total === '') return null;
  const markAllRead = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    // The button disappears.
    const hadFocus = currentTarget === document.activeElement;
    const list = currentTarget.closest('nav, main');
    if (hadFocus) list?.querySelector<HTMLElement>('a[tabindex="0"]')?.focus();
    const areSent = classes.map(({ classId }) => live.markAllRead(classId));
    if (areSent.includes(false)) notify({ text: getText('classList.markAllRead.failed') });
  };
  return (
    <TextButton onMouseDown={keepTextFocus} onClick={markAllRead}>
      {getText('classList.markAllRead')}
    </TextButton>
  );
}
