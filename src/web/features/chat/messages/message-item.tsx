/* oxlint-disable jsx-a11y/no-noninteractive-element-interactions -- a shortcut: the same actions have buttons. */
import { memo, useEffect, useRef, useState } from 'react';
import { defaultName } from '#contract/default-name.ts';
import type { Persona } from '#contract/entities.ts';
import type { Room, RoomMessage } from '#web/sync/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import type { Anchor } from '#web/ui/menu.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { personaLook } from '#web/ui/persona-look.ts';
import { useContextMenu } from '#web/ui/use-context-menu.ts';
import { MessagePicture } from '../pictures/message-picture.tsx';
import { ReactionChips } from '../reactions/reaction-chips.tsx';
import { QuotedMessage } from './quoted-message.tsx';
import { DayHeading, timeOfDay } from './message-time.tsx';
import { MessageEditor } from './message-editor.tsx';
import type { Quoted } from './message-rows.ts';
import { messageSummary } from './message-summary.ts';
import { MessageText } from './message-text.tsx';
import { MessageToolbar } from './message-toolbar.tsx';
import type { MessageActions } from './use-message-actions.ts';
import { messageAttribute } from './use-message-keys.ts';
import styles from './message-item.module.css';

interface Props {
  classId: string;
  message: RoomMessage;
  startsDay: boolean;
  startsGroup: boolean;
  quoted: Quoted | null;
  /** The author of the quoted message. */
  quotedPersona: Persona | undefined;
  /** The member has jumped to this message. */
  found: boolean;
  persona: Persona | undefined;
  mine: boolean;
  /** The viewer's memberId. */
  me: string | null;
  /** The class has ended: the message is read-only. */
  ended: boolean;
  room: Room;
  actions: MessageActions;
  editing: boolean;
  menuOpen: boolean;
  onReply: (id: string) => void;
  onEdit: (id: string | null) => void;
  onGo: (id: string) => void;
  onMenu: (id: string, at: Anchor) => void;
  onEnlarge: (id: string) => void;
}

export const MessageItem = memo(function MessageItem(props: Props) {
  const { message, startsDay, startsGroup, quoted, persona, mine, me, room, actions } = props;
  const { ended } = props;
  const { editing, menuOpen, onReply, onEdit, onGo, onMenu, onEnlarge } = props;
  // A member has no persona here before the first message, so the icon's seed is the member's id.
  const seed = persona?.icon ?? message.memberId;
  const name = persona?.anonymousName ?? defaultName;
  const clock = timeOfDay(message.createdAt);
  const time = <time dateTime={new Date(message.createdAt).toISOString()}>{clock}</time>;
  const item = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState({ pointer: false, focus: false });
  // The list is a single tab stop. The controls of a message are reached from the focused message.
  const tabIndex = near.focus ? 0 : -1;
  const hasPicture = message.image !== null || message.unsentPicture !== null;
  // A message that is not in the log yet cannot be changed.
  const usable = message.delivery === 'sent' && !editing;
  const myReaction = me === null ? undefined : message.reactions[me];
  const onReact =
    mine || ended
      ? null
      : (emoji: Parameters<MessageActions['react']>[1]) => void actions.react(message, emoji);
  const pressed = useContextMenu(
    (at) => {
      if (usable) onMenu(message.id, at);
    },
    (target) => !usable || hasOwnMenu(target),
  );
  useEffect(() => {
    if (item.current) item.current.dataset['settled'] = '';
  }, []);

  return (
    <div ref={item} className={startsGroup ? `${styles.item} ${styles.starts}` : styles.item}>
      {startsDay && <DayHeading className={styles.day} at={message.createdAt} />}
      <article
        {...pressed}
        {...{ [messageAttribute]: message.id }}
        className={styles.row}
        tabIndex={-1}
        aria-label={`${name}${mine ? ' (you)' : ''}, ${clock}: ${messageSummary(message)}`}
        data-menu={menuOpen || props.found || undefined}
        onPointerEnter={({ pointerType }) =>
          setNear((old) => ({ ...old, pointer: pointerType === 'mouse' }))
        }
        onPointerLeave={() => setNear((old) => ({ ...old, pointer: false }))}
        onFocus={() => setNear((old) => ({ ...old, focus: true }))}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) setNear((old) => ({ ...old, focus: false }));
        }}
      >
        {quoted && (
          <QuotedMessage
            quoted={quoted}
            persona={props.quotedPersona}
            tabIndex={tabIndex}
            onGo={onGo}
          />
        )}
        {startsGroup ? (
          <div className={styles.icon}>
            <PersonaIcon seed={seed} />
          </div>
        ) : (
          <div className={styles.side}>{time}</div>
        )}
        <div className={styles.body}>
          {startsGroup && (
            <p className={styles.head} style={{ '--hue': personaLook(seed).hue }}>
              <bdi className={styles.name}>{name}</bdi>
              {mine && <span className={styles.you}>(you)</span>}
              <span className={styles.time}>{time}</span>
            </p>
          )}
          {editing ? (
            <MessageEditor
              classId={props.classId}
              id={message.id}
              text={message.text}
              mayBeBlank={message.image !== null}
              onSave={(text) => room.edit(message.id, text)}
              onDone={() => onEdit(null)}
            />
          ) : (
            (message.text || message.editedAt !== null) && (
              <p
                className={
                  message.delivery === 'sent' ? styles.text : `${styles.text} ${styles.sending}`
                }
                dir="auto"
                aria-busy={message.delivery === 'sending'}
              >
                <MessageText text={message.text} tabIndex={tabIndex} />
                {message.editedAt !== null && <span className={styles.edited}> (edited)</span>}
              </p>
            )
          )}
          {hasPicture && (
            <MessagePicture message={message} tabIndex={tabIndex} onEnlarge={onEnlarge} />
          )}
          {message.onlyHere && message.delivery === 'sending' && (
            <p className={styles.warning}>
              This browser has no space to store the picture. Keep this tab open until it is sent.
            </p>
          )}
          <ReactionChips
            reactions={message.reactions}
            mine={myReaction}
            onToggle={onReact}
            tabIndex={tabIndex}
          />
          {message.delivery === 'failed' && (
            <div className={styles.failed}>
              <Icon name="alert" size={16} />
              <span>{message.failure ?? 'This message was not sent.'}</span>
              {!ended && (
                <Button variant="plain" onClick={() => room.retry(message.id)}>
                  Retry
                </Button>
              )}
              {ended && message.text !== '' && (
                <Button variant="plain" onClick={() => void actions.copy(message)}>
                  Copy
                </Button>
              )}
              <Button variant="plain" onClick={() => room.discard(message.id)}>
                Delete
              </Button>
            </div>
          )}
        </div>
        {usable && (
          <div className={styles.corner}>
            <MessageToolbar
              whole={near.pointer || near.focus || menuOpen}
              tabbable={near.focus}
              menuOpen={menuOpen}
              mine={myReaction}
              onReact={onReact}
              onReply={ended ? null : () => onReply(message.id)}
              onEdit={mine && !ended ? () => onEdit(message.id) : null}
              onMenu={(at) => onMenu(message.id, at)}
            />
          </div>
        )}
      </article>
    </div>
  );
});

/** Keeps the browser's own menu for links and selected text. */
function hasOwnMenu(target: Element): boolean {
  const selection = getSelection();
  const selected = selection?.isCollapsed === false && selection.containsNode(target, true);
  return selected || target.closest('a') !== null;
}
