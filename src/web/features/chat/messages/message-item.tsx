import {
  type ComponentProps,
  type FocusEvent,
  memo,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { formatTimeOfDay, moderationTexts, toSpokenName } from '#web/format.ts';
import type { Emoji } from '#contract/emojis.ts';
import type { Persona } from '#contract/entities.ts';
import { createUnknownPersona } from '#contract/persona-name.ts';
import { getText } from '#web/get-text.ts';
import { createLazyModule, createPreloadedModule } from '#web/lazy-module.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import type { Anchor } from '#web/ui/menu.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind, PersonaName } from '#web/ui/persona-name.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { useContextMenu } from '#web/ui/use-context-menu.ts';
import { keepTextFocus } from '#web/ui/use-input-modality.ts';
import { MessagePictures } from '../pictures/message-pictures.tsx';
import { findReaction, ReactionChips } from '../reactions/reaction-chips.tsx';
import { MessageText } from '#web/ui/message-text.tsx';
import { QuotedMessage } from './quoted-message.tsx';
import { DayHeading } from './day-heading.tsx';
import type { Quoted } from './message-rows.ts';
import { MessageToolbar } from './message-toolbar.tsx';
import type { MessageActions } from './use-message-actions.ts';
import { messageAttribute } from './use-message-keys.ts';
import styles from './message-item.module.css';

const messageEditor = createPreloadedModule(() => import('./message-editor.tsx'));
export const unsentNotes = createLazyModule(() => import('./unsent-notes.tsx'));
const messageQuestion = createPreloadedModule(() => import('../questions/message-question.tsx'));
const pollNote = createPreloadedModule(() => import('../polls/poll-note.tsx'));

interface Props {
  classId: string;
  message: RoomMessage;
  startsDay: boolean;
  startsGroup: boolean;
  quoted: Quoted | null;
  /** The author of the quoted message. */
  quotedPersona: Persona | undefined;
  /** The viewer ignores that author. */
  isQuoteIgnored: boolean;
  /** The line above the first new message. */
  newLine: ReactNode;
  /** The member has jumped to this message. */
  isHighlighted: boolean;
  persona: Persona | undefined;
  /** Tells the author from others with the same tile. */
  tag: string | undefined;
  topicName: string | undefined;
  /** What a screen reader says of the message. */
  summary: string;
  mentionsMe: boolean;
  isMine: boolean;
  /** The message is not sent, and there is no connection. */
  isOffline: boolean;
  /** The viewer's memberId. */
  me: string | null;
  canSend: boolean;
  /** The viewer may change the message. */
  mayEdit: boolean;
  room: Room;
  actions: MessageActions;
  editing: boolean;
  menuOpen: boolean;
  setReplyTo: (id: string) => void;
  onEdit: (id: string | null) => void;
  onJumpTo: (id: string) => void;
  onOpenMenu: (id: string, anchor: Anchor) => void;
  /** Null: the author has no menu. */
  onOpenAuthorMenu: ((id: string, anchor: Anchor) => void) | null;
  /** Enlarges the picture with this URL. */
  onEnlarge: (imageUrl: string) => void;
  onPickDay: (time: number) => void;
  /** Tries again to show content that could not be shown. Null: the content is shown. */
  onShowAgain: (() => void) | null;
}

/** Stands for a message whose content could not be shown. */
export const failedText = getText('chat.message.failed');

export const MessageItem = memo(function MessageItem(props: Props) {
  const { message, startsDay, startsGroup, quoted, persona, isMine, canSend, me, room, actions } =
    props;
  const { onShowAgain, menuOpen, setReplyTo, onEdit, onOpenMenu } = props;
  const { isConcealed, poll } = message;
  const hasContent = onShowAgain === null;
  const editing = props.editing && !isConcealed && hasContent;
  // A member has no persona here before the first message, so the icon's seed is the member's id.
  const seed = persona?.icon ?? message.memberId;
  const clock = formatTimeOfDay(message.createdAt);
  const time = <time dateTime={new Date(message.createdAt).toISOString()}>{clock}</time>;
  const item = useRef<HTMLDivElement>(null);
  const { active, activeHandlers } = useActive();
  // The list is a single tab stop. The controls of a message are reached from the focused message.
  const tabIndex = active.focus ? 0 : -1;
  const hasPictures = hasContent && message.images.length + message.unsentPictures.length > 0;
  // A message that is not in the log yet cannot be changed.
  const hasActions = message.delivery === 'sent' && !editing && !isConcealed;
  const myReaction = me === null ? undefined : message.reactions[me];
  const onReact = isMine || !canSend ? null : (emoji: Emoji) => void actions.react(message, emoji);
  const [openReaction, setOpenReaction] = useState<Emoji | null>(null);
  const menuHandlers = useContextMenu(
    (anchor, target) => {
      const reaction = findReaction(target);
      if (reaction) setOpenReaction(reaction);
      else if (hasActions) onOpenMenu(message.id, anchor);
    },
    (target) => !hasActions || hasOwnMenu(target),
  );
  useEffect(() => {
    if (item.current) item.current.dataset['settled'] = '';
  }, []);

  return (
    <div ref={item} className={startsGroup ? `${styles.item} ${styles.starts}` : styles.item}>
      {startsDay && (
        <DayHeading
          className={styles.day}
          timestamp={message.createdAt}
          tabIndex={tabIndex}
          onPickDay={props.onPickDay}
        />
      )}
      {props.newLine}
      <article
        {...menuHandlers}
        {...{ [messageAttribute]: message.id }}
        className={styles.row}
        tabIndex={-1}
        aria-label={toLabel(props, clock)}
        data-menu={menuOpen ? 'open' : undefined}
        data-pointed={active.pointer || undefined}
        data-highlighted={props.isHighlighted || undefined}
        data-mentions-me={props.mentionsMe || undefined}
        {...activeHandlers}
      >
        {startsGroup ? (
          <div className={styles.icon}>
            {/* The same menu as at the name. */}
            <AuthorButton {...props} tabIndex={-1} aria-hidden="true">
              <PersonaIcon seed={seed} />
            </AuthorButton>
          </div>
        ) : (
          <div className={styles.side}>{time}</div>
        )}
        <div className={styles.body}>
          {startsGroup && <Author {...props} time={time} tabIndex={tabIndex} />}
          {quoted && hasContent && (
            <QuotedMessage
              quoted={quoted}
              persona={props.quotedPersona}
              isIgnored={props.isQuoteIgnored}
              tabIndex={tabIndex}
              onJumpTo={props.onJumpTo}
            />
          )}
          {message.moderation && (
            <ModerationNote message={message} room={room} tabIndex={tabIndex} />
          )}
          {onShowAgain && (
            <p className={styles.moderated}>
              {failedText}
              <TextButton tabIndex={tabIndex} onClick={onShowAgain}>
                {getText('common.retry')}
              </TextButton>
            </p>
          )}
          {hasContent && (
            <MessageContent
              {...props}
              editing={editing}
              tabIndex={tabIndex}
              hasPictures={hasPictures}
            />
          )}
          {hasContent && poll && (
            <OnDemand code={pollNote} isQuiet>
              {({ PollNote }) => <PollNote {...props} poll={poll} tabIndex={tabIndex} />}
            </OnDemand>
          )}
          {hasContent && (
            <ReactionChips
              classId={props.classId}
              room={room}
              reactions={message.reactions}
              me={me}
              onToggle={onReact}
              tabIndex={tabIndex}
              openReaction={openReaction}
              onOpen={setOpenReaction}
            />
          )}
          {message.delivery !== 'sent' && !editing && (
            <OnDemand code={unsentNotes} isQuiet>
              {({ UnsentNotes }) => <UnsentNotes {...props} />}
            </OnDemand>
          )}
        </div>
        {hasActions && (
          <div className={`${styles.corner} screen-only`}>
            <MessageToolbar
              showsAll={active.pointer || active.focus || menuOpen}
              tabbable={active.focus}
              menuOpen={menuOpen}
              ownReaction={myReaction}
              onReact={onReact}
              onReply={canSend ? () => setReplyTo(message.id) : null}
              onEdit={props.mayEdit ? () => onEdit(message.id) : null}
              onOpenMenu={(anchor) => onOpenMenu(message.id, anchor)}
            />
          </div>
        )}
      </article>
    </div>
  );
});

function toLabel(props: Props, time: string) {
  const { message, persona, tag, isMine, mentionsMe, summary } = props;
  const name = toSpokenName(persona, tag);
  const facts = [
    isMine ? getText('chat.message.own', { name }) : name,
    time,
    mentionsMe && getText('chat.message.mentionsYou'),
    props.topicName,
    message.question && getText('chat.message.isQuestion'),
    message.poll && getText('chat.message.isPoll'),
  ];
  return `${facts.filter(Boolean).join(', ')}: ${summary}`;
}

interface ContentProps extends Props {
  hasPictures: boolean;
  tabIndex: 0 | -1;
}

/** The text and the pictures, which a question has in its card. */
function MessageContent(props: ContentProps): ReactNode {
  const { message, room, tabIndex } = props;
  const { question } = message;
  const content = (
    <>
      <TextOrEditor {...props} />
      {props.hasPictures && (
        <MessagePictures
          message={message}
          isOffline={props.isOffline}
          tabIndex={tabIndex}
          onEnlarge={props.onEnlarge}
          onCancel={() => room.cancel(message.id)}
        />
      )}
    </>
  );
  if (!question) return content;
  return (
    <OnDemand
      code={messageQuestion}
      isQuiet
      fallback={<div className={styles.question}>{content}</div>}
    >
      {({ MessageQuestion }) => (
        <MessageQuestion {...props} question={question}>
          {content}
        </MessageQuestion>
      )}
    </OnDemand>
  );
}

function TextOrEditor(props: ContentProps): ReactNode {
  const { classId, room, message, editing, hasPictures, tabIndex, onEdit } = props;
  const { text, delivery, editedAt } = message;
  const isSent = delivery === 'sent';
  const shownText = (text || editedAt !== null) && (
    <div
      className={isSent ? 'typed' : `typed muted`}
      dir="auto"
      data-message-text
      aria-busy={delivery === 'sending'}
    >
      <MessageText text={text} tabIndex={tabIndex}>
        {editedAt !== null && (
          <span className="time" data-uncopied>
            {' '}
            {getText('chat.message.edited')}
          </span>
        )}
      </MessageText>
    </div>
  );
  if (!editing) return shownText;
  return (
    <OnDemand code={messageEditor} onFailure={() => onEdit(null)} fallback={shownText}>
      {({ MessageEditor }) => (
        <MessageEditor
          classId={classId}
          room={room}
          message={message}
          mayBeBlank={hasPictures}
          onClose={() => onEdit(null)}
        />
      )}
    </OnDemand>
  );
}

/** Whether the pointer or the focus is on the message. */
function useActive() {
  const [active, setActive] = useState({ pointer: false, focus: false });
  const activeHandlers = {
    // `pointerenter` would fire when an arriving message moves a row under a resting pointer.
    onPointerMove({ pointerType, movementX, movementY }: PointerEvent) {
      const hasMoved = pointerType === 'mouse' && (movementX !== 0 || movementY !== 0);
      if (hasMoved && !active.pointer) setActive((old) => ({ ...old, pointer: true }));
    },
    onPointerLeave() {
      if (active.pointer) setActive((old) => ({ ...old, pointer: false }));
    },
    onFocus() {
      setActive((old) => ({ ...old, focus: true }));
    },
    onBlur({ currentTarget, relatedTarget }: FocusEvent) {
      if (!currentTarget.contains(relatedTarget)) setActive((old) => ({ ...old, focus: false }));
    },
  };
  return { active, activeHandlers };
}

type AuthorButtonProps = Pick<Props, 'message' | 'onOpenAuthorMenu'> &
  Pick<ComponentProps<'button'>, 'tabIndex' | 'aria-hidden' | 'children'>;

/** Opens the menu of the author, if the author has one. */
function AuthorButton(props: AuthorButtonProps) {
  const { message, onOpenAuthorMenu, tabIndex, children } = props;
  if (!onOpenAuthorMenu) return children;
  return (
    <button
      type="button"
      className={styles.author}
      tabIndex={tabIndex}
      aria-hidden={props['aria-hidden']}
      aria-haspopup="menu"
      onMouseDown={keepTextFocus}
      onClick={({ currentTarget }) => {
        const { left, top, bottom } = currentTarget.getBoundingClientRect();
        onOpenAuthorMenu(message.id, { left, right: left, top, bottom });
      }}
    >
      {children}
    </button>
  );
}

interface AuthorProps extends Pick<
  Props,
  'message' | 'room' | 'persona' | 'tag' | 'topicName' | 'isMine' | 'onOpenAuthorMenu'
> {
  time: ReactNode;
  tabIndex: 0 | -1;
}

function Author(props: AuthorProps) {
  const { message, tag, topicName, isMine, time, tabIndex } = props;
  const persona = props.persona ?? createUnknownPersona(message.memberId);
  return (
    <p className={styles.head}>
      <AuthorButton {...props}>
        <PersonaName persona={persona} tag={tag} className={styles.name} />
      </AuthorButton>
      <PersonaKind persona={persona} isMine={isMine} />
      <span className={styles.time}>{time}</span>
      {topicName !== undefined && (
        <button
          type="button"
          className={styles.topic}
          tabIndex={tabIndex}
          data-uncopied
          title={getText('topics.show', { name: topicName })}
          onMouseDown={keepTextFocus}
          onClick={() => props.room.showTopic(message.topicId ?? null)}
        >
          <bdi className="truncate">{topicName}</bdi>
        </button>
      )}
    </p>
  );
}

interface ModerationNoteProps extends Pick<Props, 'message' | 'room'> {
  tabIndex: number;
}

function ModerationNote({ message, room, tabIndex }: ModerationNoteProps) {
  const { moderation, isConcealed } = message;
  return (
    <p className={styles.moderated}>
      {moderation && moderationTexts[moderation]}
      {moderation === 'hidden' && (
        <TextButton
          tabIndex={tabIndex}
          aria-expanded={!isConcealed}
          onClick={() => room.reveal(message.id, isConcealed)}
        >
          {isConcealed ? getText('chat.message.show') : getText('chat.message.hide')}
        </TextButton>
      )}
    </p>
  );
}

/** Whether the browser shows its own menu, as it does for links and selected text. */
function hasOwnMenu(target: Element): boolean {
  const selection = getSelection();
  const isSelected = selection?.isCollapsed === false && selection.containsNode(target, true);
  return isSelected || target.closest('a') !== null;
}
