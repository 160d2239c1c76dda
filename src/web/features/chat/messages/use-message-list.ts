import { useCallback, useEffect, useMemo, useState } from 'react';
import { isInTopic, type Room, type RoomView } from '#web/sync/room/room.ts';
import type { Anchor } from '#web/ui/menu.tsx';
import { collapseRows, toMessageRows } from './message-rows.ts';
import { findFirstNew, type NewMessages } from './new-messages-line.tsx';
import { useListScroll } from './use-list-scroll.ts';
import { useMessageKeys } from './use-message-keys.ts';
import { useOpenMessage } from './use-open-message.ts';

/** Older pages are loaded until they hold the first new message, or until the room holds this many messages. */
export const maxSearchedMessages = 300;

export interface MessageListOptions {
  classId: string;
  room: Room;
  view: RoomView;
  newMessages: NewMessages;
  /** Moves the focus to the composer when the member types or presses Escape. */
  onType: () => void;
}

interface OpenMenu {
  kind: 'message' | 'author';
  /** The message whose menu it is, or whose author's. */
  id: string;
  anchor: Anchor;
}

/** The state of the list of messages: its rows, scroll position, keys and menu. */
export function useMessageList({ classId, room, view, newMessages, onType }: MessageListOptions) {
  const { messages, older } = view;
  const { messageId } = view.jump;
  const { range } = newMessages;
  const firstNewId = findFirstNew(view, range);
  /** Collapsed messages that the member wants to see. */
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(new Set([messageId ?? '']));
  const reveal = useCallback(
    (ids: readonly string[]) => setRevealed((old) => new Set([...old, ...ids])),
    [],
  );
  const rows = useMemo(
    () => collapseRows(toMessageRows(messages), view.preferences, revealed, firstNewId),
    [messages, view.preferences, revealed, firstNewId],
  );

  const isOlderNew = range !== null && firstNewId === null && messages.length < maxSearchedMessages;
  const isLoadingNew = isOlderNew && older === 'some';
  useEffect(() => {
    if (isLoadingNew) void room.loadOlder();
  }, [room, isLoadingNew]);
  const isPending = isLoadingNew || (isOlderNew && older === 'loading');
  const scroll = useListScroll(classId, room, view, isPending ? 'loading' : firstNewId);

  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const openMenu = useCallback(
    (id: string, anchor: Anchor) => setMenu({ kind: 'message', id, anchor }),
    [],
  );
  const openAuthorMenu = useCallback(
    (id: string, anchor: Anchor) => setMenu({ kind: 'author', id, anchor }),
    [],
  );
  const closeMenu = useCallback(() => setMenu(null), []);
  const { openMessage, openDay } = useOpenMessage(room);
  const newestId = view.newest.findLast((message) => isInTopic(view, message))?.id;
  const keys = useMessageKeys({
    rows,
    messages,
    messageId,
    scroller: scroll.scrollerRef,
    list: scroll.list,
    onSeek: scroll.bottom.seekPlace,
    onMenu: openMenu,
    onReveal: reveal,
    onType,
    onNewest: view.newer === 'none' || !newestId ? null : () => void openMessage(newestId),
  });
  const { jumpTo } = keys;
  const onJumpTo = useCallback(
    (id: string) => {
      reveal([id]);
      if (room.getSnapshot().messages.some((message) => message.id === id)) jumpTo(id);
      else void openMessage(id);
    },
    [room, reveal, jumpTo, openMessage],
  );
  const onPickDay = useCallback((time: number) => void openDay(time), [openDay]);
  return {
    rows,
    firstNewId,
    scroll,
    keys,
    menu,
    openMenu,
    openAuthorMenu,
    closeMenu,
    onJumpTo,
    onPickDay,
  };
}
