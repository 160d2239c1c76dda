import { useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { Message } from '#contract/entities.ts';
import { findTags } from '#contract/persona-name.ts';
import { useQuestions } from '#web/data/questions.ts';
import { toSpokenName } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { findTopicName, type Room, type RoomView } from '#web/sync/room/room.ts';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { useEscape } from '#web/ui/use-escape.ts';
import { summarizeMessage } from '../messages/message-summary.ts';
import type { UnreadRange } from '../messages/new-messages-line.tsx';
import { maxSearchedMessages } from '../messages/use-message-list.ts';
import { useOpenMessage } from '../messages/use-open-message.ts';
import {
  type CatchUpGroup,
  type CatchUpLine,
  changeCatchUp,
  isCurrent,
  isLongAbsence,
  selectCatchUp,
} from './select-catch-up.ts';
import styles from './catch-up-card.module.css';

const icons: Readonly<Record<CatchUpGroup, IconName>> = {
  answered: 'check',
  unanswered: 'hand',
  pinned: 'pin',
  staff: 'people',
};

interface Props {
  classId: string;
  room: Room;
  view: RoomView;
  /** What was unread when the member came back. */
  range: UnreadRange;
  /** Where the card is: above the line of new messages. Null while the list does not show that place. */
  place: Element | null;
}

/** Says what happened while the member was away, until the member dismisses it or leaves the room. */
export function CatchUpCard({ classId, room, view, range, place }: Props) {
  const id = useId();
  const card = useRef<HTMLElement>(null);
  const { lines, personas, dismiss } = useCatchUp({ classId, room, view, range });
  const { openMessage } = useOpenMessage(room);
  const isShown = place !== null && lines.length > 0;
  const close = () => {
    // The focused button disappears.
    if (card.current?.contains(document.activeElement)) {
      document.getElementById('main')?.focus({ preventScroll: true });
    }
    dismiss();
  };
  useEscape(isShown, close);
  if (!isShown) return null;
  return createPortal(
    <section ref={card} className={styles.card} aria-labelledby={id} data-takes-escape>
      <header className="row">
        <h2 id={id} className="grow">
          {getText('chat.catchUp.title')}
        </h2>
        <IconButton icon="close" label={getText('chat.catchUp.dismiss')} onClick={close} />
      </header>
      <ul className={styles.lines}>
        {lines.map(({ group, message, topicName }) => (
          <li key={message.id}>
            <button
              type="button"
              className={styles.line}
              data-group={group}
              onClick={() => void openMessage(message.id)}
            >
              <Icon name={icons[group]} size={16} />
              <span className={styles.text}>
                {topicName !== undefined && <bdi className={styles.topic}>{topicName}</bdi>}
                <bdi className="truncate">
                  {summarizeMessage({ ...message, unsentPictures: [] }, personas)}
                </bdi>
              </span>
              <span className={styles.detail}>{describeLine(group, message, personas)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>,
    place,
  );
}

/** What happened to the message, its votes, or who wrote it. */
function describeLine(
  group: CatchUpGroup,
  { memberId, question }: Message,
  personas: RoomView['personas'],
): string {
  switch (group) {
    case 'answered':
      return getText('chat.catchUp.hasAnswer');
    case 'unanswered':
      return question?.votes
        ? getText('chat.catchUp.votes', { count: question.votes })
        : getText('chat.catchUp.openQuestion');
    case 'pinned':
      return getText('chat.catchUp.pinned');
    case 'staff':
      return toSpokenName(personas.get(memberId), findTags(personas).get(memberId));
  }
}

/** Selects the lines once, when the browser has what they are made of. Then they follow edits and deletions. */
function useCatchUp({ classId, room, view, range }: Omit<Props, 'place'>) {
  const [lines, setLines] = useState<readonly CatchUpLine[] | null>(null);
  const { query, personas } = useQuestions(classId, room);
  const hasMessages = range.isComplete || view.messages.length >= maxSearchedMessages;
  const hasQuestions = query.data !== undefined || query.isError;
  if (lines === null && hasMessages && hasQuestions) {
    const questions = query.data?.questions ?? [];
    setLines(
      isLongAbsence(range, view.messages, room.serverNow())
        ? selectCatchUp(view, questions, range.afterSeq)
        : [],
    );
  }
  useEffect(
    () =>
      room.onMessageChanged((change) =>
        setLines((oldLines) => oldLines && changeCatchUp(oldLines, change)),
      ),
    [room],
  );
  return {
    lines: (lines ?? [])
      .filter((line) => isCurrent(line, view))
      .map((line) => ({ ...line, topicName: findTopicName(view, line.message) })),
    personas,
    dismiss: () => setLines([]),
  };
}
