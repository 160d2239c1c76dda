import type { RefObject } from 'react';
import type { Picture } from '#contract/entities.ts';
import { toImageCounts } from '#contract/pdf.ts';
import { createUnknownPersona } from '#contract/persona-name.ts';
import { choosePreference } from '#web/data/preferences.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import type { Choice } from '#web/data/save-preferences.ts';
import { formatTimeOfDay } from '#web/format.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import { isOwnPersona, type Room, type RoomMessage, type RoomView } from '#web/sync/room/room.ts';
import { useCopyText } from '#web/ui/copy-text.ts';
import { type Anchor, Menu, type MenuItem } from '#web/ui/menu.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { listPollItems } from '../polls/poll-items.ts';
import { ReactionRow } from '../reactions/reaction-row.tsx';
import { saveImage } from '../pictures/save-image.ts';
import type { MessageRights } from './message-rights.ts';
import { summarizeMessage } from './message-summary.ts';
import { selectText } from './select-text.ts';
import { toMessageLink } from './use-linked-message.ts';
import type { MessageActions } from './use-message-actions.ts';
import { useQuestionItems } from './use-question-items.ts';
import { useRemoveMessage } from './use-remove-message.ts';

/** Only moderators need it. */
const pinning = createLazyModule(() => import('../pins/pin-message.ts'));

interface Props {
  classId: string;
  room: Room;
  view: RoomView;
  message: RoomMessage;
  /** The class has ended: the menu only offers to copy, to save and to report. */
  ended: boolean;
  mayPin: boolean;
  offline: boolean;
  rights: MessageRights;
  actions: MessageActions;
  anchor: Anchor;
  /** Gets the focus when the message disappears. */
  scroller: RefObject<HTMLElement | null>;
  setReplyTo: (id: string | null) => void;
  onEdit: (id: string) => void;
  /** Opens the form that reports a message. */
  onReport: (target: ReportTarget) => void;
  onClose: () => void;
}

/**
 * The menu of one message. Only messages of others have reactions; only the viewer's own can be edited or
 * deleted.
 */
export function MessageMenu(props: Props) {
  const { classId, room, view, message, ended, rights, actions, setReplyTo, onEdit } = props;
  const { me, canSend } = rights;
  const { id, memberId, images } = message;
  const notify = useNotify();
  const copyText = useCopyText();
  const removeMessage = useRemoveMessage(classId, room, props.offline, setReplyTo);
  const itemContext = { ...props, mayModerate: props.mayPin, notify };
  const questionItems = useQuestionItems(itemContext);
  const isMine = rights.isMine(message);
  const isFromOther = !isMine && !ended;
  const canChange = isMine && !ended;
  const isHidden = view.preferences.hidden.has(id);
  const isIgnored = view.preferences.ignored.has(memberId);
  const isPinned = view.settings.pins.includes(id);

  const choose = (choice: Choice) =>
    void choosePreference({ classId, preferences: room.preferences, notify }, choice);
  const report = () => {
    const persona = view.personas.get(memberId) ?? createUnknownPersona(memberId);
    const summary = summarizeMessage(message, view.personas);
    props.onReport({ messageId: id, persona, summary });
  };
  const pin = async () => {
    await pinning.load();
    const code = pinning.getSnapshot();
    notify({
      text: code
        ? await code.pin(classId, id, !isPinned)
        : 'This was not saved. Please check your connection.',
    });
  };
  const remove = async () => {
    if (!(await removeMessage(message))) return;
    // The focused message disappears with the next frame.
    await new Promise(requestAnimationFrame);
    if (document.activeElement === document.body) props.scroller.current?.focus();
  };

  if (!questionItems) return null;
  const items: MenuItem[] = [
    ...showIf(canSend, { icon: 'reply', label: 'Reply', action: () => setReplyTo(id) }),
    ...showIf(canChange && canSend && rights.mayEdit(message), {
      icon: 'edit',
      label: 'Edit',
      action: () => onEdit(id),
    }),
    ...questionItems,
    ...(ended ? [] : listPollItems(itemContext)),
    ...showIf(message.text !== '', {
      icon: 'copy',
      label: 'Copy text',
      action: () => void actions.copy(message),
    }),
    ...showIf(message.text !== '' && matchMedia('(hover: none)').matches, {
      icon: 'text',
      label: 'Select text',
      action: () => selectText(id),
    }),
    {
      icon: 'share',
      label: 'Copy link',
      action: () => void copyText(toMessageLink(classId, id)),
    },
    ...showIf(images.length > 0, {
      icon: 'save',
      label: toSaveLabel(images),
      action: () => images.forEach(saveImage),
    }),
    ...showIf(isFromOther, {
      icon: 'eye',
      label: 'Mark unread from here',
      action: () => room.markUnreadFrom(id),
    }),
    ...showIf(isFromOther, {
      icon: 'eyeOff',
      label: isHidden ? 'Stop hiding this message' : 'Hide this message',
      action: () => choose({ list: 'hidden', id, isOn: !isHidden }),
    }),
    ...showIf(isFromOther, {
      icon: 'ignore',
      label: isIgnored ? 'Stop ignoring this person' : 'Ignore this person',
      action: () => choose({ list: 'ignored', id: memberId, isOn: !isIgnored }),
    }),
    ...showIf(!isOwnPersona(view, memberId), { icon: 'flag', label: 'Report', action: report }),
    ...showIf(props.mayPin, {
      icon: 'pin',
      label: isPinned ? 'Unpin' : 'Pin',
      action: () => void pin(),
    }),
    ...showIf(canChange, {
      icon: 'remove',
      label: 'Delete',
      danger: true,
      action: () => void remove(),
    }),
  ];
  const lead =
    canChange || !canSend ? undefined : (
      <ReactionRow
        ownReaction={me === null ? undefined : message.reactions[me]}
        onPick={(emoji) => void actions.react(message, emoji)}
      />
    );
  return (
    <Menu
      label="Message options"
      anchor={props.anchor}
      items={items}
      sheetTitle={`Sent at ${formatTimeOfDay(message.createdAt)}`}
      lead={lead}
      onClose={props.onClose}
    />
  );
}

function toSaveLabel(images: readonly Picture[]): string {
  const { imageCount, pdfCount = 0 } = toImageCounts(images);
  if (imageCount === 1) return pdfCount === 1 ? 'Download PDF' : 'Save picture';
  if (pdfCount === 0) return `Save ${imageCount} pictures`;
  return `Save ${imageCount} ${pdfCount === imageCount ? 'PDFs' : 'files'}`;
}

function showIf(condition: boolean, item: MenuItem): MenuItem[] {
  return condition ? [item] : [];
}
