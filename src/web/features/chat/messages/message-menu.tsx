import type { Picture } from '#contract/entities.ts';
import { imageCounts } from '#contract/pdf.ts';
import { formatTimeOfDay } from '#web/format.ts';
import type { Choice } from '#web/data/save-preferences.ts';
import type { RoomMessage, ShownPreferences } from '#web/sync/room/room.ts';
import { type Anchor, Menu, type MenuItem } from '#web/ui/menu.tsx';
import { ReactionRow } from '../reactions/reaction-row.tsx';
import { saveImage } from '../pictures/save-image.ts';
import { selectText } from './select-text.ts';
import { messageLink } from './use-linked-message.ts';
import type { MessageActions } from './use-message-actions.ts';

interface Props {
  classId: string;
  message: RoomMessage;
  /** The viewer's memberId. */
  me: string | null;
  /** The viewer's own message. */
  mine: boolean;
  mayEdit: boolean;
  /** The class has ended: the menu only offers to copy, to save and to report. */
  ended: boolean;
  canSend: boolean;
  /** Null if the viewer may not pin messages. */
  isPinned: boolean | null;
  anchor: Anchor;
  actions: MessageActions;
  onReply: (id: string) => void;
  onEdit: (id: string) => void;
  onRemove: () => void;
  onMarkUnread: (id: string) => void;
  preferences: ShownPreferences;
  /** Hides the message, ignores its author, or ends that. */
  onChoose: (choice: Choice) => void;
  /** Null on the viewer's own messages. */
  onReport: (() => void) | null;
  onClose: () => void;
}

/**
 * The menu of one message. Only messages of others have reactions; only the viewer's own can be edited or
 * deleted.
 */
export function MessageMenu(props: Props) {
  const { classId, message, me, mine, ended, canSend, isPinned, anchor, actions, preferences } =
    props;
  const { onReply, onEdit, onRemove, onMarkUnread, onChoose, onReport, onClose } = props;
  const isOthers = !mine && !ended;
  const { id: messageId, memberId } = message;
  const isHidden = preferences.hidden.has(messageId);
  const isIgnored = preferences.ignored.has(memberId);
  const own = mine && !ended;
  const { images } = message;
  const items: MenuItem[] = [
    ...only(canSend, { icon: 'reply', label: 'Reply', act: () => onReply(message.id) }),
    ...only(own && canSend && props.mayEdit, {
      icon: 'edit',
      label: 'Edit',
      act: () => onEdit(message.id),
    }),
    ...only(message.text !== '', {
      icon: 'copy',
      label: 'Copy text',
      act: () => void actions.copy(message),
    }),
    ...only(message.text !== '' && matchMedia('(hover: none)').matches, {
      icon: 'text',
      label: 'Select text',
      act: () => selectText(message.id),
    }),
    {
      icon: 'share',
      label: 'Copy link',
      act: () => void actions.copyLink(messageLink(classId, message.id)),
    },
    ...only(images.length > 0, {
      icon: 'save',
      label: saveLabel(images),
      act: () => images.forEach(saveImage),
    }),
    ...only(isOthers, {
      icon: 'eye',
      label: 'Mark unread from here',
      act: () => onMarkUnread(message.id),
    }),
    ...only(isOthers, {
      icon: 'eyeOff',
      label: isHidden ? 'Stop hiding this message' : 'Hide this message',
      act: () => onChoose({ list: 'hidden', id: messageId, isOn: !isHidden }),
    }),
    ...only(isOthers, {
      icon: 'ignore',
      label: isIgnored ? 'Stop ignoring this person' : 'Ignore this person',
      act: () => onChoose({ list: 'ignored', id: memberId, isOn: !isIgnored }),
    }),
    ...only(onReport !== null, { icon: 'flag', label: 'Report', act: () => onReport?.() }),
    ...only(isPinned !== null, {
      icon: 'pin',
      label: isPinned ? 'Unpin' : 'Pin',
      act: () => void actions.pin(message, !isPinned),
    }),
    ...only(own, { icon: 'remove', label: 'Delete', danger: true, act: onRemove }),
  ];
  const lead =
    own || !canSend ? undefined : (
      <ReactionRow
        mine={me === null ? undefined : message.reactions[me]}
        onPick={(emoji) => void actions.react(message, emoji)}
      />
    );
  return (
    <Menu
      label="Message options"
      anchor={anchor}
      items={items}
      sheetTitle={`Sent at ${formatTimeOfDay(message.createdAt)}`}
      lead={lead}
      onClose={onClose}
    />
  );
}

function saveLabel(images: readonly Picture[]): string {
  const { imageCount, pdfCount = 0 } = imageCounts(images);
  if (imageCount === 1) return pdfCount === 1 ? 'Download PDF' : 'Save picture';
  if (pdfCount === 0) return `Save ${imageCount} pictures`;
  return `Save ${imageCount} ${pdfCount === imageCount ? 'PDFs' : 'files'}`;
}

function only(wanted: boolean, item: MenuItem): MenuItem[] {
  return wanted ? [item] : [];
}
