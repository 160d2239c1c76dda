import { useQuery } from '@tanstack/react-query';
import {
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Emoji } from '#contract/emojis.ts';
import { createUnknownPersona, findTags, toShownName } from '#contract/persona-name.ts';
import { compareText } from '#contract/text-order.ts';
import { listMembers } from '#web/data/members.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { toLeft } from '#web/ui/menu.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind, PersonaName } from '#web/ui/persona-name.tsx';
import { useBackToClose } from '#web/ui/use-back-to-close.ts';
import { useStore } from '#web/use-store.ts';
import { ReactionFigure, reactionNames } from './reaction-figure.tsx';
import styles from './reactor-list.module.css';

interface Props {
  classId: string;
  room: Room;
  emoji: Emoji;
  /** The members who chose the reaction. */
  memberIds: readonly string[];
  /** The viewer's memberId. */
  me: string | null;
  /** The chips of the message. */
  chips: RefObject<HTMLElement | null>;
  onClose: () => void;
}

/** A pointer that only passes over a chip opens nothing. */
const openDelayMs = 200;
/** The pointer needs this long from the chip to the list. */
const closeDelayMs = 200;
const gap = 4;
const edge = 8;

/** Who chose a reaction, in a popover at its chip. */
export function ReactorList(props: Props) {
  const { emoji, chips, onClose } = props;
  const layer = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsOpen(true), openDelayMs);
    return () => clearTimeout(timer);
  }, []);
  useCloseOutside(layer, () => findChip(chips, emoji), onClose);
  return isOpen && <Popover {...props} layer={layer} />;
}

function Popover(props: Props & { layer: RefObject<HTMLDivElement | null> }) {
  const { emoji, memberIds, chips, layer, onClose } = props;
  const people = usePeople(props);
  const tags = findTags(props.room.getSnapshot().personas);
  useBackToClose(onClose);
  useLayoutEffect(() => layer.current?.showPopover(), [layer]);
  useLayoutEffect(() => {
    const chip = findChip(chips, emoji);
    if (!chip || !layer.current) return;
    const { style, offsetWidth, offsetHeight } = layer.current;
    const box = chip.getBoundingClientRect();
    const topAbove = box.top - gap - offsetHeight;
    style.setProperty('--left', `${toLeft(box, offsetWidth, 'start')}px`);
    style.setProperty('--top', `${topAbove < edge ? box.bottom + gap : topAbove}px`);
  });
  const name = reactionNames[emoji];
  return (
    <div
      ref={layer}
      className={styles.list}
      role="tooltip"
      popover="manual"
      // The message around it handles long presses.
      onPointerDown={(event) => event.stopPropagation()}
    >
      <p className={styles.head}>
        <ReactionFigure emoji={emoji} size={20} />
        {name}: {memberIds.length}
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it. */}
      <ul className={styles.people} tabIndex={0} aria-label={name}>
        {people.map(({ memberId, persona, isMe, isIgnored, isDeleted }) => (
          <li key={memberId} className={styles.person}>
            <PersonaIcon seed={persona.icon} size={24} />
            {isDeleted ? (
              getText('chat.reactions.deletedMember')
            ) : (
              <>
                <PersonaName persona={persona} tag={tags.get(memberId)} />
                <PersonaKind persona={persona} isMine={isMe} />
              </>
            )}
            {isIgnored && <span className={styles.note}>{getText('chat.reactions.ignored')}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The viewer first, ignored members last, and the others by name: their order does not say who was first. */
function usePeople({ classId, room, memberIds, me }: Props) {
  const { personas, preferences } = useStore(room);
  // The log names only the id of a member who reacts.
  const unknownIds = memberIds.filter((memberId) => !personas.has(memberId));
  const { data, isFetchedAfterMount } = useQuery({
    queryKey: ['class', classId, 'mentionable'],
    queryFn: () => listMembers(classId),
    staleTime: 0,
    enabled: unknownIds.length > 0,
  });
  const members = new Map(data?.personas.map((persona) => [persona.memberId, persona]));
  useEffect(() => {
    for (const memberId of unknownIds) {
      const persona = members.get(memberId);
      if (persona) room.addPersona(persona);
    }
  });
  return memberIds
    .map((memberId) => {
      const persona = personas.get(memberId) ?? members.get(memberId);
      return {
        memberId,
        persona: persona ?? createUnknownPersona(memberId),
        isMe: memberId === me,
        isIgnored: preferences.ignored.has(memberId),
        isDeleted: !persona && isFetchedAfterMount,
      };
    })
    .toSorted(
      (a, b) =>
        Number(b.isMe) - Number(a.isMe) ||
        Number(a.isIgnored) - Number(b.isIgnored) ||
        compareText(toShownName(a.persona), toShownName(b.persona)),
    );
}

/** Closes the list when the pointer or the focus leaves the chip and the list, on Escape, and when the messages scroll. */
function useCloseOutside(
  layer: RefObject<HTMLElement | null>,
  getChip: () => Element | null,
  onClose: () => void,
): void {
  const close = useEffectEvent(onClose);
  const isInside = useEffectEvent(({ target }: Event) => {
    if (!(target instanceof Node)) return false;
    return layer.current?.contains(target) === true || getChip()?.contains(target) === true;
  });
  useEffect(() => {
    const listening = new AbortController();
    const listen = <Name extends keyof WindowEventMap>(
      name: Name,
      handle: (event: WindowEventMap[Name]) => void,
    ) => addEventListener(name, handle, { capture: true, signal: listening.signal });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const closeOutside = (event: Event) => {
      if (!isInside(event)) close();
    };
    listen('pointermove', (event) => {
      if (event.pointerType !== 'mouse') return;
      if (!isInside(event)) {
        timer ??= setTimeout(() => close(), closeDelayMs);
      } else {
        clearTimeout(timer);
        timer = undefined;
      }
    });
    listen('pointerdown', closeOutside);
    listen('focusin', closeOutside);
    listen('scroll', closeOutside);
    listen('resize', () => close());
    listen('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      close();
    });
    return () => {
      clearTimeout(timer);
      listening.abort();
    };
  }, []);
}

function findChip(chips: RefObject<HTMLElement | null>, emoji: Emoji): Element | null {
  return chips.current?.querySelector(`[data-reaction="${emoji}"]`) ?? null;
}
