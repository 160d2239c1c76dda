// What the composer says now and then. It loads after the first screen.
import { limits } from '#contract/limits.ts';
import { findTags } from '#contract/persona-name.ts';
import { useOwnPrivate } from '#web/data/private-questions.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { formatNumber, getText } from '#web/get-text.ts';
import type { RoomMessage, RoomView } from '#web/sync/room/room.ts';
import type { RejectedFile } from '#web/sync/uploads/staging.ts';
import { Icon } from '#web/ui/icon.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { summarizeMessage } from '../messages/message-summary.ts';
import { QuoteLine } from '../messages/quoted-message.tsx';
import { useStore } from '#web/use-store.ts';
import { OnlyStaffSwitch } from './only-staff-switch.tsx';
import type { ComposerOptions } from './use-composer.ts';
import styles from './composer.module.css';

export { PrivateComposer } from './private-composer.tsx';

const maxNames = 3;

type QuestionOptions = Pick<ComposerOptions, 'classId' | 'field' | 'room' | 'view' | 'replyingTo'>;

interface QuestionProps extends QuestionOptions {
  onCancel: () => void;
}

/** Says that the next message is a question, and offers to ask only staff, if the class has any. */
export function QuestionStrip({ onCancel, ...props }: QuestionProps) {
  const { classId, field, room, view, replyingTo } = props;
  const { pictures } = useStore(room.staging);
  const isPlain = !replyingTo && pictures.length === 0;
  const hasStaff = useOwnPrivate(classId).data?.hasStaff;
  const isOffered = isPlain && hasStaff && view.staff?.maySpeak !== true;
  return (
    <div className={styles.question}>
      <Icon name="question" size={16} />
      <p>
        <span className="truncate">{getText('chat.composer.question')}</span>
      </p>
      {isOffered && <OnlyStaffSwitch classId={classId} field={field} isOn={false} />}
      <IconButton icon="close" label={getText('chat.composer.questionCancel')} onClick={onCancel} />
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
    <div className={styles.strip} role="group" aria-label={getText('chat.reply.label')}>
      <Icon name="reply" size={16} />
      <p>
        <VisuallyHidden>{getText('chat.reply.to')} </VisuallyHidden>
        <QuoteLine
          memberId={message.memberId}
          persona={personas.get(message.memberId)}
          tag={findTags(personas).get(message.memberId)}
          text={summarizeMessage(message, personas)}
        />
      </p>
      <IconButton icon="close" label={getText('chat.reply.cancel')} onClick={onCancel} />
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
        {formatNumber(length)} / {formatNumber(limits.messageText)}
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
    return (
      <p key={problem}>
        {names.length === 0
          ? problem
          : getRichText('chat.composer.rejectedFiles', {
              names: names.slice(0, maxNames).join(', '),
              count: Math.max(0, names.length - maxNames),
              problem,
              bdi: <bdi />,
            })}
      </p>
    );
  });
}
