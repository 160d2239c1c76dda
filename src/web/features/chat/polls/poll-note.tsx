import { type KeyboardEvent, type ReactNode, useState } from 'react';
import type { Lecture, Poll, PollResult } from '#contract/entities.ts';
import { isLectureOn, toPollEnd } from '#contract/lecture-times.ts';
import { limitCombiningMarks } from '#contract/limit-combining-marks.ts';
import { getText, language } from '#web/get-text.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { mirrorArrow } from '#web/ui/shortcut-keys.ts';
import { TextButton } from '#web/ui/text-button.tsx';
import { useLostFocus } from '#web/ui/use-lost-focus.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { useStore } from '#web/use-store.ts';
import { formatWait, useSecondsUntil } from '#web/ui/use-seconds-until.ts';
import { usePoll } from './use-poll.ts';
import styles from './poll-note.module.css';

interface Props {
  classId: string;
  message: Pick<RoomMessage, 'id' | 'memberId' | 'delivery' | 'createdAt'>;
  poll: NonNullable<RoomMessage['poll']>;
  room: Room;
  /** The viewer's memberId. Null in a class that has ended. */
  me: string | null;
  canSend: boolean;
  tabIndex: 0 | -1;
}

/** What stands under the text of a poll: its options with the counts, and below them the viewer's vote and its end. */
export function PollNote(props: Props) {
  const { message, room, me, canSend, tabIndex } = props;
  const { settings, staff } = useStore(room);
  const { lecture } = settings;
  const poll = toPoll(props.poll, message.createdAt, lecture);
  const isOwn = staff?.maySpeak === true && staff.persona.memberId === message.memberId;
  const { choices, result } = usePoll(props.classId, room, message, poll, isOwn);
  const isPresented = lecture?.pollId === message.id && isLectureOn(lecture, room.serverNow());
  const [asksForResult, setAsksForResult] = useState(false);
  // The vote is taken back, or the poll closes.
  const focusProps = useLostFocus();
  const isOpen = poll.closesAt !== null && message.delivery === 'sent';
  const isVoter = isOpen && canSend && me !== null;
  const hasVoted = choices.length > 0;
  const mayAsk = isOpen && isOwn && !hasVoted && result !== null;
  const shownResult = mayAsk && !asksForResult ? null : result;
  const vote = (newChoices: number[]) => room.choose(message.id, newChoices);
  const press = (n: number) => {
    if (!poll.several) {
      if (!choices.includes(n)) vote([n]);
    } else if (choices.includes(n)) vote(choices.filter((choice) => choice !== n));
    else vote([...choices, n].toSorted((first, second) => first - second));
  };
  return (
    <div className={styles.note} {...focusProps}>
      <div
        role={isVoter && !poll.several ? 'radiogroup' : 'group'}
        aria-label={
          poll.several ? getText('chat.poll.optionsSeveral') : getText('chat.poll.options')
        }
        className={styles.options}
      >
        {poll.options.map((option, n) => (
          <Option
            key={option}
            kind={poll.several ? 'checkbox' : 'radio'}
            isChosen={choices.includes(n)}
            share={shownResult ? (shownResult.counts[n] ?? 0) / shownResult.voters : null}
            tabIndex={tabIndex}
            onPress={isVoter ? () => press(n) : null}
          >
            <span className={styles.letter} aria-hidden="true">
              {choices.includes(n) ? <Icon name="check" size={16} /> : 'ABCDEFGH'[n]}
            </span>
            {choices.includes(n) && !isVoter && (
              <VisuallyHidden>{getText('chat.poll.yourVote')} </VisuallyHidden>
            )}
            <span className="typed" dir="auto">
              {limitCombiningMarks(option)}
            </span>
            {shownResult && <OptionCount result={shownResult} n={n} />}
          </Option>
        ))}
      </div>
      <p className="wrap meta">
        <span>
          {describeResult(poll, hasVoted || isOwn, result)}
          {hasVoted && ` · ${getText('chat.poll.youVoted')}`}
          {' · '}
          <ClosingTime closesAt={poll.closesAt} serverNow={room.serverNow} />
          {isVoter && poll.several && ` · ${getText('chat.poll.chooseSeveral')}`}
          {isPresented && ` · ${getText('chat.poll.presented')}`}
        </span>
        {isOpen && me !== null && hasVoted && (
          <TextButton tabIndex={tabIndex} onClick={() => vote([])}>
            {getText('chat.poll.takeBack')}
          </TextButton>
        )}
        {mayAsk && (
          <TextButton
            tabIndex={tabIndex}
            aria-pressed={asksForResult}
            onClick={() => setAsksForResult(!asksForResult)}
          >
            {asksForResult ? getText('chat.poll.hideResult') : getText('chat.poll.showResult')}
          </TextButton>
        )}
      </p>
    </div>
  );
}

/** A poll that is not in the log closes later than this by as long as it waits, unless it closes with the lecture. */
function toPoll(poll: Props['poll'], createdAt: number, lecture: Lecture | undefined): Poll {
  if ('closesAt' in poll) return poll;
  return { ...poll, closesAt: toPollEnd(poll.minutes, lecture, createdAt), result: null };
}

interface OptionProps {
  kind: 'radio' | 'checkbox';
  isChosen: boolean;
  /** The share of the voters who chose it. Null: the viewer does not see it. */
  share: number | null;
  tabIndex: 0 | -1;
  /** Null if the viewer cannot vote. */
  onPress: (() => void) | null;
  children: ReactNode;
}

/** An option, which is the bar of its share. A press votes. */
function Option({ kind, isChosen, share, tabIndex, onPress, children }: OptionProps) {
  const shared = {
    className: styles.option,
    'data-chosen': isChosen || undefined,
    style: { '--share': share ?? 0 },
  };
  if (!onPress) return <div {...shared}>{children}</div>;
  return (
    <button
      {...shared}
      type="button"
      role={kind}
      aria-checked={isChosen}
      tabIndex={tabIndex}
      onClick={onPress}
      onKeyDown={moveFocus}
    >
      {children}
    </button>
  );
}

/** The arrow keys move between the options, and not between the messages. They do not vote. */
function moveFocus(event: KeyboardEvent<HTMLButtonElement>): void {
  if (!event.key.startsWith('Arrow')) return;
  event.stopPropagation();
  event.preventDefault();
  const { nextElementSibling, previousElementSibling } = event.currentTarget;
  const isForward = event.key === 'ArrowDown' || mirrorArrow(event.key) === 'ArrowRight';
  const sibling = isForward ? nextElementSibling : previousElementSibling;
  if (sibling instanceof HTMLElement) sibling.focus();
}

/** How many chose the option. */
function OptionCount({ result, n }: { result: PollResult; n: number }) {
  const count = result.counts[n] ?? 0;
  return (
    <>
      <span className="meta" aria-hidden="true">
        {Math.round((100 * count) / result.voters)}%
      </span>
      <VisuallyHidden>
        {': '}
        {getText('chat.poll.optionCount', { count, voters: result.voters })}
      </VisuallyHidden>
    </>
  );
}

const time = { hour: 'numeric', minute: '2-digit' } as const;
const weekday = new Intl.DateTimeFormat(language, { weekday: 'short', ...time });
const day = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', ...time });

interface ClosingTimeProps extends Pick<Poll, 'closesAt'>, Pick<Room, 'serverNow'> {}

function ClosingTime({ closesAt, serverNow }: ClosingTimeProps) {
  const seconds = useSecondsUntil(closesAt, serverNow);
  if (closesAt === null) return getText('chat.poll.closed');
  // The end arrives some seconds later.
  if (seconds <= 0) return getText('chat.poll.closing');
  return seconds < 2 * 3600
    ? getText('chat.poll.closesIn', { wait: formatWait(seconds) })
    : getText('chat.poll.openUntil', {
        time: (seconds < 6 * 86_400 ? weekday : day).format(closesAt),
      });
}

function describeResult(
  { closesAt, resultsAfter, several }: Poll,
  seesCounts: boolean,
  result: PollResult | null,
): string {
  if (result) {
    const count = result.voters;
    return several ? getText('chat.poll.voters', { count }) : getText('chat.poll.votes', { count });
  }
  if (closesAt === null) return getText('chat.poll.noCounts');
  if (resultsAfter === 'closing') return getText('chat.poll.resultAtClosing');
  if (seesCounts) return getText('chat.poll.countsLater');
  return getText('chat.poll.resultAfterVote');
}
