/* oxlint-disable jsx-a11y/no-noninteractive-element-interactions -- the list only learns which chip has the pointer or the focus. */
import { useEffect, useRef } from 'react';
import { type Emoji, emojis } from '#contract/emojis.ts';
import { getShownName } from '#contract/persona-name.ts';
import { toSpokenName } from '#web/format.ts';
import { getText, language } from '#web/get-text.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import type { Room, RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { useMentionNames } from '#web/ui/mention.tsx';
import { ReactionFigure, reactionNames } from './reaction-figure.tsx';
import styles from './reaction-chips.module.css';

const reactorList = createPreloadedModule(() => import('./reactor-list.tsx'));

const maxSpokenNames = 3;
/** Created for the first chip, not before the first screen. */
let spokenList: Intl.ListFormat | undefined;

interface Props {
  classId: string;
  room: Room;
  reactions: RoomMessage['reactions'];
  /** The viewer's memberId. */
  me: string | null;
  /** Null on the viewer's own messages, where chips only show counts. */
  onToggle: ((emoji: Emoji) => void) | null;
  tabIndex: number;
  /** The reaction whose members are on screen. */
  openReaction: Emoji | null;
  /** Shows who chose the reaction. Null closes the list. */
  onOpen: (emoji: Emoji | null) => void;
}

/** The count of each reaction in a fixed order, so that chips do not move under a finger. */
export function ReactionChips(props: Props) {
  const { classId, room, reactions, me, onToggle, tabIndex, openReaction, onOpen } = props;
  const personas = useMentionNames();
  const chips = useRef<HTMLUListElement>(null);
  const groups = emojis
    .map((emoji) => ({
      emoji,
      memberIds: Object.keys(reactions).filter((memberId) => reactions[memberId] === emoji),
    }))
    .filter(({ memberIds }) => memberIds.length > 0);
  const openGroup = groups.find(({ emoji }) => emoji === openReaction);
  const isGone = openReaction !== null && !openGroup;
  useEffect(() => {
    if (isGone) onOpen(null);
  }, [isGone, onOpen]);
  if (groups.length === 0) return null;
  const open = (target: EventTarget) => {
    const emoji = findReaction(target);
    if (emoji) onOpen(emoji);
  };
  return (
    <>
      <ul
        ref={chips}
        className={styles.chips}
        aria-label={getText('chat.reactions.label')}
        // Not `pointerenter`: the messages can scroll under a pointer that rests.
        onPointerMove={({ target, pointerType, movementX, movementY }) => {
          if (pointerType === 'mouse' && (movementX !== 0 || movementY !== 0)) open(target);
        }}
        onFocus={({ target }) => {
          if (target.matches(':focus-visible')) open(target);
        }}
      >
        {groups.map(({ emoji, memberIds }) => {
          const name = reactionNames[emoji];
          const chipProps = {
            'data-reaction': emoji,
            className: styles.chip,
            tabIndex,
            'aria-label': `${name}: ${memberIds.length}. ${toSpokenNames(memberIds, me, personas)}`,
          };
          const content = (
            <>
              <ReactionFigure emoji={emoji} size={16} />
              <VisuallyHidden>{name}: </VisuallyHidden>
              {memberIds.length}
            </>
          );
          return (
            <li key={emoji}>
              {onToggle ? (
                <button
                  {...chipProps}
                  type="button"
                  aria-pressed={me !== null && reactions[me] === emoji}
                  onClick={() => onToggle(emoji)}
                >
                  {content}
                </button>
              ) : (
                <span {...chipProps} role="img">
                  {content}
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {openGroup && (
        <OnDemand code={reactorList} isQuiet>
          {({ ReactorList }) => (
            <ReactorList
              {...openGroup}
              classId={classId}
              room={room}
              me={me}
              chips={chips}
              onClose={() => onOpen(null)}
            />
          )}
        </OnDemand>
      )}
    </>
  );
}

/** The reaction whose chip has the element. */
export function findReaction(target: EventTarget): Emoji | undefined {
  const chip = target instanceof Element && target.closest<HTMLElement>('[data-reaction]');
  return emojis.find((emoji) => chip && emoji === chip.dataset['reaction']);
}

/** 'You, Quiet Fox, Calm Owl, and 2 others' */
function toSpokenNames(
  memberIds: readonly string[],
  me: string | null,
  personas: RoomView['personas'],
): string {
  const names = memberIds
    .toSorted((a, b) => Number(b === me) - Number(a === me))
    .map((memberId) => {
      if (memberId === me) return getText('chat.reactions.you');
      const persona = personas.get(memberId);
      return persona && !persona.staff ? getShownName(personas, memberId) : toSpokenName(persona);
    });
  const otherCount = names.length - maxSpokenNames;
  if (otherCount > 1) {
    const others = getText('chat.reactions.others', { count: otherCount });
    names.splice(maxSpokenNames, otherCount, others);
  }
  spokenList ??= new Intl.ListFormat(language);
  return spokenList.format(names);
}
