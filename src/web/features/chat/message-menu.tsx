import type { RoomMessage } from '#web/sync/room.ts';
import { type Anchor, Menu, type MenuItem } from '#web/ui/menu.tsx';
import { ReactionRow } from './reaction-row.tsx';
import type { MessageActions } from './use-message-actions.ts';

interface Props {
  message: RoomMessage;
  /** My own memberId. */
  me: string | null;
  anchor: Anchor;
  actions: MessageActions;
  onEdit: (id: string) => void;
  onRemove: (message: RoomMessage) => void;
  onClose: () => void;
}

/** What one can do with a message: others can be reacted to, one's own changed and deleted. */
export function MessageMenu({ message, me, anchor, actions, onEdit, onRemove, onClose }: Props) {
  const own = message.memberId === me;
  const copy: MenuItem = {
    icon: 'copy',
    label: 'Copy text',
    act: () => void actions.copy(message),
  };
  const items: MenuItem[] = own
    ? [
        { icon: 'edit', label: 'Edit', act: () => onEdit(message.id) },
        copy,
        { icon: 'remove', label: 'Delete', danger: true, act: () => onRemove(message) },
      ]
    : [copy];
  const lead = own ? undefined : (
    <ReactionRow
      mine={me === null ? undefined : message.reactions[me]}
      onPick={(emoji) => void actions.react(message, emoji)}
    />
  );
  return (
    <Menu label="Message options" anchor={anchor} items={items} lead={lead} onClose={onClose} />
  );
}
