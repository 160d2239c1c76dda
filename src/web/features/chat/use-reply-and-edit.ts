import { useCallback, useEffect, useState } from 'react';
import { findEdit, replyDrafts } from '#web/data/drafts.ts';
import { isOwnPersona, type Room, type RoomView } from '#web/sync/room/room.ts';

/** Which message the next one replies to, and which message is edited in its place. */
export function useReplyAndEdit(
  classId: string,
  room: Room,
  view: RoomView,
  focusComposer: () => void,
) {
  const [editingId, setEditingId] = useState(() => findUnsavedEdit(view));
  const [replyState, setReplyState] = useState({
    message: replyDrafts.get(classId) ?? null,
    chosen: false,
  });
  // The room may no longer hold the message.
  const replyingTo =
    view.messages.find(({ id }) => id === replyState.message?.id) ?? replyState.message;
  const setReplyTo = useCallback(
    (id: string | null) => {
      const message =
        room.getSnapshot().messages.find((roomMessage) => roomMessage.id === id) ?? null;
      if (message) replyDrafts.set(classId, message);
      else replyDrafts.delete(classId);
      setReplyState({ message, chosen: message !== null });
    },
    [classId, room],
  );
  // Runs after the menu closes, because the menu returns the focus to its message.
  useEffect(() => {
    if (replyState.chosen) focusComposer();
  }, [replyState, focusComposer]);
  const edit = useCallback(
    (id: string | null) => {
      setEditingId(id);
      if (id === null && matchMedia('(hover: hover)').matches) focusComposer();
    },
    [focusComposer],
  );
  return {
    editingId,
    edit,
    editLast() {
      const lastOwnMessage = view.messages.findLast(
        ({ seq, memberId }) => seq === null || isOwnPersona(view, memberId),
      );
      if (lastOwnMessage && !lastOwnMessage.isConcealed) setEditingId(lastOwnMessage.id);
    },
    replyingTo: replyingTo?.moderation === 'removed' ? null : replyingTo,
    setReplyTo,
  };
}

/** Finds a message with an unsaved edit, for example from before the member switched classes. */
export function findUnsavedEdit({ messages }: RoomView): string | null {
  return messages.find(({ id }) => findEdit(id) !== null)?.id ?? null;
}
