import { type KeyboardEvent, useId, useState, useSyncExternalStore } from 'react';
import type { Poll, PollResult } from '#contract/entities.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import { pollLimits } from '#contract/limits.ts';
import { formatCount, formatQuantity } from '#web/format.ts';
import { limitCombiningMarks } from '#contract/limit-combining-marks.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { useLostFocus } from '#web/ui/use-lost-focus.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { formatWait, useSecondsUntil } from '../messages/use-seconds-until.ts';
import { usePoll } from './use-poll.ts';
import styles from './poll-note.module.css';

interface Props {
  classId: string;
  message: Pick<RoomMessage, 'id' | 'delivery' | 'createdAt'>;
  poll: NonNullable<RoomMessage['poll']>;
  room: Room;
  /** The viewer's memberId. Null in a class that has ended. */
  me: string | null;
  canSend: boolean;
  tabIndex: 0 | -1;
}

/** What stands under the text of a poll: when it closes, its options, the viewer's vote and the counts. */
export function PollNote(props: Props) {
  const { message, room, me, canSend, tabIndex } = props;
  const poll = toPoll(props.poll, message.createdAt);
  const { choices, result } = usePoll(props.classId, room, message, poll);
  const lecture = useSyncExternalStore(room.subscribe, () => room.getSnapshot().settings.lecture);
  const isPresented = lecture?.pollId === message.id && isLectureOn(lecture, room.serverNow());
  /** What the viewer has selected, and has not voted for. Null: nothing. */
  const [selection, setSelection] = useState<readonly number[] | null>(null);
  const name = useId();
  // The vote is taken back, or the poll closes.
  const focusProps = useLostFocus();
  const isOpen = poll.closesAt !== null && message.delivery === 'sent';
  const isVoter = isOpen && canSend && me !== null;
  const shownChoices = isVoter && selection ? selection : choices;
  const isNew = shownChoices.length > 0 && !isSameChoice(shownChoices, choices);
  const vote = (newChoices: readonly number[]) => {
    room.choose(message.id, [...newChoices]);
    setSelection(null);
  };
  const select = (n: number, isSelected: boolean) => {
    const otherChoices = poll.several ? shownChoices.filter((choice) => choice !== n) : [];
    setSelection(isSelected ? [...otherChoices, n] : otherChoices);
  };
  return (
    <div className={styles.note} {...focusProps}>
      <p className={styles.sign}>
        <Icon name="poll" size={16} />
        <span>
          Poll · <ClosingTime closesAt={poll.closesAt} serverNow={room.serverNow} />
          {isPresented && ' · Shown in the hall'}
          {isVoter && poll.several && ' · Choose one or more'}
        </span>
      </p>
      <fieldset className={styles.options}>
        <legend>
          <VisuallyHidden>{poll.several ? 'Choose one or more options' : 'Options'}</VisuallyHidden>
        </legend>
        {poll.options.map((option, n) => (
          <label key={option} className={styles.option} data-open={isVoter || undefined}>
            {isVoter ? (
              <input
                type={poll.several ? 'checkbox' : 'radio'}
                name={name}
                tabIndex={tabIndex}
                checked={shownChoices.includes(n)}
                onChange={({ target }) => select(n, target.checked)}
                onKeyDown={keepArrowKeys}
              />
            ) : (
              <OwnMark isChosen={choices.includes(n)} />
            )}
            <span className={styles.text} dir="auto">
              {limitCombiningMarks(option)}
            </span>
            {result && <OptionCount result={result} n={n} />}
          </label>
        ))}
      </fieldset>
      <div className={styles.foot}>
        {isVoter && (
          <Button
            tabIndex={tabIndex}
            aria-disabled={!isNew}
            onClick={() => isNew && vote(shownChoices)}
          >
            {choices.length === 0 ? 'Vote' : 'Change vote'}
          </Button>
        )}
        {isOpen && me !== null && choices.length > 0 && (
          <TextButton tabIndex={tabIndex} onClick={() => vote([])}>
            Take back my vote
          </TextButton>
        )}
        <span>{describeResult(poll, choices, result)}</span>
      </div>
    </div>
  );
}

/** A poll that is not in the log closes later than this by as long as it waits. */
function toPoll(poll: Props['poll'], createdAt: number): Poll {
  if ('closesAt' in poll) return poll;
  return { ...poll, closesAt: createdAt + poll.minutes * 60_000, result: null };
}

/** The arrow keys move between the options, and not between the messages. */
function keepArrowKeys(event: KeyboardEvent): void {
  if (event.key.startsWith('Arrow')) event.stopPropagation();
}

/** The viewer's vote where the viewer cannot vote any more. */
function OwnMark({ isChosen }: { isChosen: boolean }) {
  return (
    <span className={styles.mark}>
      {isChosen && (
        <>
          <Icon name="check" size={16} />
          <VisuallyHidden>Your vote: </VisuallyHidden>
        </>
      )}
    </span>
  );
}

/** How many chose the option, as a number and a bar. */
function OptionCount({ result, n }: { result: PollResult; n: number }) {
  const count = result.counts[n] ?? 0;
  const percent = Math.round((100 * count) / result.voters);
  return (
    <>
      <span className={styles.count} aria-hidden="true">
        {formatCount(count)} · {percent} %
      </span>
      <VisuallyHidden>
        : {formatCount(count)} of {formatCount(result.voters)} people
      </VisuallyHidden>
      <span className={styles.bar} aria-hidden="true">
        <span style={{ inlineSize: `${percent}%` }} />
      </span>
    </>
  );
}

interface ClosingTimeProps extends Pick<Poll, 'closesAt'>, Pick<Room, 'serverNow'> {}

function ClosingTime({ closesAt, serverNow }: ClosingTimeProps) {
  const seconds = useSecondsUntil(closesAt, serverNow);
  if (closesAt === null) return 'Closed';
  // The end arrives some seconds later.
  return seconds <= 0 ? 'Closing' : `Closes in ${formatTimeLeft(seconds)}`;
}

const hour = 3600;
const day = 24 * hour;

function formatTimeLeft(seconds: number): string {
  if (seconds < 2 * hour) return formatWait(seconds);
  if (seconds < 2 * day) return formatQuantity(Math.ceil(seconds / hour), 'hour');
  return formatQuantity(Math.ceil(seconds / day), 'day');
}

function describeResult(
  { closesAt, resultsAfter }: Poll,
  choices: readonly number[],
  result: PollResult | null,
): string {
  if (result) return `${formatCount(result.voters)} people voted`;
  if (closesAt === null) return `No counts: fewer than ${pollLimits.voters} people voted`;
  if (resultsAfter === 'closing') return 'The result appears when the poll has closed';
  if (choices.length === 0) return 'The result appears after your vote';
  return `Counts appear when ${pollLimits.voters} people have voted`;
}

function isSameChoice(first: readonly number[], second: readonly number[]): boolean {
  return first.length === second.length && first.every((choice) => second.includes(choice));
}
