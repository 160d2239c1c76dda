// What the composer says now and then. It loads after the first screen.
import { getText } from '#web/get-text.ts';
import { limits } from '#contract/limits.ts';
import { findTags } from '#contract/persona-name.ts';
import { formatCount } from '#web/format.ts';
import type { RoomMessage, RoomView } from '#web/sync/room/room.ts';
import type { RejectedFile } from '#web/sync/uploads/staging.ts';
import { Icon } from '#web/ui/icon.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { summarizeMessage } from '../messages/message-summary.ts';
import { QuoteLine } from '../messages/quoted-message.tsx';
import styles from './composer.module.css';

const maxNames = 3;

/** Says that the next message is a question. */
export function QuestionStrip({ onCancel }: { onCancel: () => void }) {
  return (
    <div className={styles.question}>
      <Icon name="question" size={16} />
      <p>
        <span className="truncate">
          Your next message is a question. Classmates can vote for it.
        </span>
      </p>
      <IconButton icon="close" label="Not a question" onClick={onCancel} />
    </div>
  );
}

interface ReplyTargetProps {
  message: RoomMessage;
  personas: RoomView['personas'];
  onCancel: () => void;
}

/** Shows above the field which message the next message replies to. */
export function ReplyTarget({ message, personas, onCancel }: ReplyTargetProps) {
  return (
    <div className={styles.strip} role="group" aria-label="Your reply">
      <Icon name="reply" size={16} />
      <p>
        <VisuallyHidden>Replying to </VisuallyHidden>
        <QuoteLine
          memberId={message.memberId}
          persona={personas.get(message.memberId)}
          tag={findTags(personas).get(message.memberId)}
          text={summarizeMessage(message, personas)}
        />
      </p>
      <IconButton icon="close" label="Cancel reply" onClick={onCancel} />
    </div>
  );
}

/** How much of the longest possible message is typed. */
export function LengthHint({ length }: { length: number }) {
  const isTooLong = length > limits.messageText;
  return (
    <p className={isTooLong ? styles.problem : styles.near}>
      <span role="alert">{isTooLong && getText('error.MESSAGE_TOO_LONG')}</span>
      <span>
        {formatCount(length)} / {formatCount(limits.messageText)}
      </span>
    </p>
  );
}

/** Why files were not added: one line for each reason. */
export function RejectedFiles({ files }: { files: readonly RejectedFile[] }) {
  const problems = new Set(files.map(({ problem }) => problem));
  return [...problems].map((problem) => {
    const names = files.flatMap((file) =>
      file.problem === problem && file.name ? [file.name] : [],
    );
    const otherCount = names.length - maxNames;
    return (
      <p key={problem}>
        {names.length > 0 && (
          <>
            <bdi>{names.slice(0, maxNames).join(', ')}</bdi>
            {otherCount > 0 && ` and ${otherCount} more`}
            {': '}
          </>
        )}
        {problem}
      </p>
    );
  });
}
