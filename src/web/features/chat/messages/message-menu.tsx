import type { RefObject } from 'react';
import type { Picture } from '#contract/entities.ts';
import { toImageCounts } from '#contract/pdf.ts';
import { createUnknownPersona } from '#contract/persona-name.ts';
import { choosePreference } from '#web/data/preferences.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import type { Choice } from '#web/data/save-preferences.ts';
import { useHoldsLectures } from '#web/data/session.ts';
import { formatTimeOfDay } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
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
  /** Opens the form that moves the message to another topic. */
  onMove: (message: RoomMessage) => void;
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
  const holdsLectures = useHoldsLectures(classId);
  const isMine = rights.isMine(message);
  const isFromOther = !isMine && !ended;
  const canChange = isMine && !ended;
  const isHidden = view.preferences.hidden.has(id);
  const isIgnored = view.preferences.ignored.has(memberId);
  const isPinned = view.settings.pins.includes(id);
  const mayMove = canSend && (canChange || holdsLectures) && message.seq !== null;

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
      text: code ? await code.pin(classId, id, !isPinned) : getText('chat.pins.failed'),
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
    ...showIf(canSend, {
      icon: 'reply',
      label: getText('chat.menu.reply'),
      action: () => setReplyTo(id),
    }),
    ...showIf(canChange && canSend && rights.mayEdit(message), {
      icon: 'edit',
      label: getText('common.edit'),
      action: () => onEdit(id),
    }),
    ...questionItems,
    ...(ended ? [] : listPollItems(itemContext)),
    ...showIf(message.text !== '', {
      icon: 'copy',
      label: getText('chat.menu.copyText'),
      action: () => void actions.copy(message),
    }),
    ...showIf(message.text !== '' && matchMedia('(hover: none)').matches, {
      icon: 'text',
      label: getText('chat.menu.selectText'),
      action: () => selectText(id),
    }),
    {
      icon: 'share',
      label: getText('chat.menu.copyLink'),
      action: () => void copyText(toMessageLink(classId, id)),
    },
    ...showIf(mayMove && view.settings.topics !== undefined, {
      icon: 'topic',
      label: getText('topics.move'),
      action: () => props.onMove(message),
    }),
    ...showIf(images.length > 0, {
      icon: 'save',
      label: toSaveLabel(images),
      action: () => images.forEach(saveImage),
    }),
    ...showIf(isFromOther, {
      icon: 'eye',
      label: getText('chat.menu.markUnread'),
      action: () => room.markUnreadFrom(id),
    }),
    ...showIf(isFromOther, {
      icon: 'eyeOff',
      label: isHidden ? getText('chat.menu.unhide') : getText('chat.menu.hide'),
      action: () => choose({ list: 'hidden', id, isOn: !isHidden }),
    }),
    ...showIf(isFromOther, {
      icon: 'ignore',
      label: isIgnored ? getText('chat.menu.unignore') : getText('chat.menu.ignore'),
      action: () => choose({ list: 'ignored', id: memberId, isOn: !isIgnored }),
    }),
    ...showIf(!isOwnPersona(view, memberId), {
      icon: 'flag',
      label: getText('chat.menu.report'),
      action: report,
    }),
    ...showIf(props.mayPin, {
      icon: 'pin',
      label: isPinned ? getText('chat.menu.unpin') : getText('chat.menu.pin'),
      action: () => void pin(),
    }),
    ...showIf(canChange, {
      icon: 'remove',
      label: getText('common.delete'),
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
      label={getText('chat.menu.label')}
      anchor={props.anchor}
      items={items}
      sheetTitle={getText('chat.menu.sentAt', { time: formatTimeOfDay(message.createdAt) })}
      lead={lead}
      onClose={props.onClose}
    />
  );
}

function toSaveLabel(images: readonly Picture[]): string {
  const { imageCount: count, pdfCount = 0 } = toImageCounts(images);
  if (pdfCount === 0) return getText('chat.menu.savePictures', { count });
  if (pdfCount === count) return getText('chat.menu.savePdfs', { count });
  return getText('chat.menu.saveFiles', { count });
}

function showIf(condition: boolean, item: MenuItem): MenuItem[] {
  return condition ? [item] : [];
}
