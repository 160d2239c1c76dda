import { useEffect, useId, useRef, useState } from 'react';
import { useQuestions } from '#web/data/questions.ts';
import { findTags } from '#contract/persona-name.ts';
import { countImages, formatQuantity, toSpokenName } from '#web/format.ts';
import { toPlainText } from '#web/markup/message-markup.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import { useEscape } from '#web/ui/use-escape.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
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

const groups: readonly { group: CatchUpGroup; title: string; icon: IconName }[] = [
  { group: 'answered', title: 'Answered', icon: 'check' },
  { group: 'unanswered', title: 'Still open', icon: 'question' },
  { group: 'pinned', title: 'Pinned', icon: 'pin' },
  { group: 'staff', title: 'From staff', icon: 'people' },
];

interface Props {
  classId: string;
  room: Room;
  view: RoomView;
  /** What was unread when the member came back. */
  range: UnreadRange;
}

/** Says what happened while the member was away, until the member dismisses it or leaves the room. */
export function CatchUpCard({ classId, room, view, range }: Props) {
  const id = useId();
  const card = useRef<HTMLElement>(null);
  const { lines, personas, dismiss } = useCatchUp({ classId, room, view, range });
  const { openMessage } = useOpenMessage(room);
  const isShown = lines.length > 0;
  const close = () => {
    // The focused button disappears.
    if (card.current?.contains(document.activeElement)) {
      document.getElementById('main')?.focus({ preventScroll: true });
    }
    dismiss();
  };
  useEscape(isShown, close);
  if (!isShown) return null;
  return (
    <section ref={card} className={styles.card} aria-labelledby={id} data-takes-escape>
      <header className={styles.head}>
        <h2 id={id}>While you were away</h2>
        <Button variant="plain" onClick={close}>
          Dismiss
        </Button>
      </header>
      <div className={styles.groups}>
        {groups
          .map((shownGroup) => ({
            ...shownGroup,
            groupLines: lines.filter(({ group }) => group === shownGroup.group),
          }))
          .filter(({ groupLines }) => groupLines.length > 0)
          .map(({ group, title, icon, groupLines }) => (
            <div key={group}>
              <h3>{title}</h3>
              <ul>
                {groupLines.map(({ message }) => (
                  <li key={message.id}>
                    <button
                      type="button"
                      className={styles.line}
                      data-group={group}
                      onClick={() => void openMessage(message.id)}
                    >
                      <Icon name={icon} size={16} />
                      <bdi>{summarizeMessage({ ...message, unsentPictures: [] }, personas)}</bdi>
                      <LineDetail group={group} message={message} view={{ ...view, personas }} />
                    </button>
                  </li>
                ))}
              </ul>
            </div>
          ))}
      </div>
    </section>
  );
}

/** The answer to a question, its votes, or who wrote the message. */
function LineDetail({
  group,
  message: { memberId, question },
  view: { personas, preferences },
}: CatchUpLine & { view: Pick<RoomView, 'personas' | 'preferences'> }) {
  if (group === 'answered') {
    const reply = question?.answer ?? question?.endorsed;
    if (!reply) return null;
    const { messageId, quote } = reply;
    const isCollapsed =
      preferences.ignored.has(quote.memberId) || preferences.hidden.has(messageId);
    if (isCollapsed || quote.hidden) return null;
    return (
      <span className={styles.detail}>
        <VisuallyHidden>Answer: </VisuallyHidden>
        <bdi>
          {[toPlainText(quote.text, personas), countImages(quote)].filter(Boolean).join(' · ')}
        </bdi>
      </span>
    );
  }
  if (group === 'unanswered') {
    if (!question || question.votes === 0) return null;
    return <span className={styles.detail}>{formatQuantity(question.votes, 'vote')}</span>;
  }
  return (
    <bdi className={styles.detail} translate="no">
      {toSpokenName(personas.get(memberId), findTags(personas).get(memberId))}
    </bdi>
  );
}

/** Selects the lines once, when the browser has what they are made of. Then they follow edits and deletions. */
function useCatchUp({ classId, room, view, range }: Props) {
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
    lines: (lines ?? []).filter((line) => isCurrent(line, view)),
    personas,
    dismiss: () => setLines([]),
  };
}
