import type { RoomMessage } from '#web/sync/room.ts';
import { type Anchor, Menu, type MenuItem } from '#web/ui/menu.tsx';
import { ReactionRow } from '../reactions/reaction-row.tsx';
import { savePicture } from '../pictures/picture-file.ts';
import type { MessageActions } from './use-message-actions.ts';

interface Props {
  message: RoomMessage;
  /** The viewer's memberId. */
  me: string | null;
  /** The class has ended: the menu only offers to copy and to save. */
  ended: boolean;
  anchor: Anchor;
  actions: MessageActions;
  onReply: (id: string) => void;
  onEdit: (id: string) => void;
  onRemove: (message: RoomMessage) => void;
  onClose: () => void;
}

/**
 * The menu of one message. Only messages of others have reactions; only the viewer's own can be edited or
 * deleted.
 */
export function MessageMenu(props: Props) {
  const { message, me, ended, anchor, actions, onReply, onEdit, onRemove, onClose } = props;
  const own = message.memberId === me && !ended;
  const { imageUrl } = message;
  const items: MenuItem[] = [
    ...only(!ended, { icon: 'reply', label: 'Reply', act: () => onReply(message.id) }),
    ...only(own, { icon: 'edit', label: 'Edit', act: () => onEdit(message.id) }),
    ...only(message.text !== '', {
      icon: 'copy',
      label: 'Copy text',
      act: () => void actions.copy(message),
    }),
    ...only(imageUrl !== null, {
      icon: 'save',
      label: 'Save picture',
      act: () => savePicture(imageUrl ?? ''),
    }),
    ...only(own, { icon: 'remove', label: 'Delete', danger: true, act: () => onRemove(message) }),
  ];
  const lead =
    own || ended ? undefined : (
      <ReactionRow
        mine={me === null ? undefined : message.reactions[me]}
        onPick={(emoji) => void actions.react(message, emoji)}
      />
    );
  return (
    <Menu label="Message options" anchor={anchor} items={items} lead={lead} onClose={onClose} />
  );
}

function only(wanted: boolean, item: MenuItem): MenuItem[] {
  return wanted ? [item] : [];
}
