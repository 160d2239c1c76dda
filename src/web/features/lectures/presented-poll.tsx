import { limitCombiningMarks } from '#contract/limit-combining-marks.ts';
import { getText } from '#web/get-text.ts';
import { MessageText } from '#web/ui/message-text.tsx';
import type { Presentation } from './presentation.ts';
import styles from './presented-poll.module.css';

type Poll = NonNullable<Presentation['presentedPoll']>;

/** A poll on the screen of the hall, with the counts that a member who has voted sees. */
export function PresentedPoll({ poll }: { poll: Poll }) {
  const { pollText, pollOptions, pollCounts } = poll;
  return (
    // A long poll scrolls, also with the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable
    <article className={styles.poll} aria-label={getText('lectures.poll')} tabIndex={0}>
      <div className={styles.text} dir="auto">
        <MessageText text={pollText} tabIndex={-1} />
      </div>
      <ol className={styles.options}>
        {pollOptions.map((option, n) => (
          <PollOption
            key={option}
            letter={toLetter(n)}
            option={option}
            count={pollCounts?.optionCounts[n] ?? 0}
            voters={pollCounts?.pollVoters}
          />
        ))}
      </ol>
      <p className="muted">{describeState(poll)}</p>
    </article>
  );
}

const firstLetter = 0x41;

interface OptionProps {
  letter: string;
  option: string;
  count: number;
  /** Undefined while there are no counts. */
  voters: number | undefined;
}

function PollOption({ letter, option, count, voters }: OptionProps) {
  const percent = voters === undefined ? 0 : Math.round((100 * count) / voters);
  return (
    <li className={styles.option} style={{ '--share': percent / 100 }}>
      <span className={styles.letter} aria-hidden="true">
        {letter}
      </span>
      <span dir="auto">{limitCombiningMarks(option)}</span>
      {voters !== undefined && (
        <span className={styles.count}>{getText('lectures.poll.count', { count, percent })}</span>
      )}
    </li>
  );
}

const toLetter = (index: number) => String.fromCodePoint(firstLetter + index);

function describeState({ pollOpen, pollCounts, pollCountsAfter }: Poll): string {
  if (pollCounts) {
    const count = pollCounts.pollVoters;
    return pollOpen
      ? getText('lectures.poll.openVoted', { count })
      : getText('lectures.poll.closedVoted', { count });
  }
  if (!pollOpen) return getText('lectures.poll.closedFew');
  return pollCountsAfter === 'closing'
    ? getText('lectures.poll.openAfterClosing')
    : getText('lectures.poll.openFew');
}
