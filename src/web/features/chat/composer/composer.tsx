// No check, hint or suggestion may stop a message from going out: each runs in `attempt` or is shown in `Optional`
// (SEND-45).
import { useState } from 'react';
import { browserErrors } from '#contract/browser-errors.ts';
import { limits } from '#contract/limits.ts';
import type { RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { formatCount } from '#web/format.ts';
import { createLazyModule, createPreloadedModule } from '#web/lazy-module.ts';
import { slim } from '#web/ui/breakpoints.ts';
import { Button } from '#web/ui/button.tsx';
import { Optional } from '#web/error-boundary.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { useMediaQuery } from '#web/ui/use-media-query.ts';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { EmojiButton } from '../emoji/emoji-button.tsx';
import { MentionSuggestions } from './mention-suggestions.tsx';
import { MessageField } from './message-field.tsx';
import { MentionProvider } from '#web/ui/mention.tsx';
import { summarizeMessage } from '../messages/message-summary.ts';
import { formatWait } from '../messages/use-seconds-until.ts';
import { QuoteLine } from '../messages/quoted-message.tsx';
import { AddButton } from './choose-picture.tsx';
import { QuestionToggle } from './question-toggle.tsx';
import { RejectedFiles } from './rejected-files.tsx';
import { type ComposerOptions, speakerChoice, useComposer } from './use-composer.ts';
import styles from './composer.module.css';

const preview = createPreloadedModule(() => import('./preview.tsx'));
const pollDialog = createLazyModule(() => import('./poll-dialog.tsx'));
const stagedPictures = createPreloadedModule(() => import('./staged-pictures.tsx'));

interface Props extends ComposerOptions {
  label: string;
}

const nearLimit = limits.messageText - 200;

export function Composer(props: Props) {
  const { label, field, room, view, replyingTo, disabled } = props;
  const draft = useComposer(props);
  const { mentions, pictures, rejected, waitSeconds, speaker, isReady, focus, send } = draft;
  const { text, messageText } = mentions;
  const { slowModeSeconds, picturesOff } = view.settings;
  const [asksPoll, setAsksPoll] = useState(false);
  const askPoll = () => setAsksPoll(true);
  const closePoll = () => setAsksPoll(false);
  const isPollInMenu = useMediaQuery(slim) && !picturesOff;
  const asStaff = speaker.staffName === null ? '' : ` as ${speaker.staffName}`;
  return (
    <>
      <form
        className={styles.composer}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div
          className={styles.box}
          data-disabled={disabled || undefined}
          data-staff={asStaff ? '' : undefined}
        >
          {speaker.hasChoice && (
            <OnDemand code={speakerChoice}>
              {({ SpeakerChoice }) => (
                <SpeakerChoice room={room} view={view} onPointerChoice={focus} />
              )}
            </OnDemand>
          )}
          {replyingTo && (
            <Optional resetKey={replyingTo}>
              <ReplyTarget
                message={replyingTo}
                personas={view.personas}
                onCancel={() => {
                  props.onCancelReply();
                  focus();
                }}
              />
            </Optional>
          )}
          {pictures.length > 0 && (
            <OnDemand code={stagedPictures}>
              {({ StagedPictures }) => (
                <StagedPictures pictures={pictures} staging={room.staging} onRemoved={focus} />
              )}
            </OnDemand>
          )}
          <Optional resetKey={messageText}>
            <MentionProvider view={view}>
              {messageText && (
                <OnDemand code={preview} isQuiet>
                  {({ Preview }) => <Preview text={messageText} />}
                </OnDemand>
              )}
            </MentionProvider>
          </Optional>
          {!disabled &&
            (picturesOff ? (
              <span className={styles.noPictures} />
            ) : (
              <AddButton
                onPick={draft.stage}
                onPoll={isPollInMenu && speaker.isChosen ? askPoll : null}
              />
            ))}
          <Optional resetKey={text}>
            <MentionSuggestions className={styles.suggestions} suggestions={mentions.suggestions} />
          </Optional>
          <MessageField
            {...mentions.fieldProps}
            ref={field}
            data-first-focus
            className={styles.field}
            placeholder="Type a message..."
            aria-label={`Message to ${label}${asStaff}`}
            aria-invalid={messageText.length > limits.messageText}
            readOnly={disabled}
            aria-disabled={disabled}
            enterKeyHint="send"
            value={text}
            onChange={draft.change}
            onSubmit={send}
            onKeyDown={draft.handleKeyDown}
            onPaste={draft.pastedCode.onPaste}
          />
          {!disabled && (
            <>
              <Optional resetKey={text}>
                <QuestionToggle {...props} text={text} />
              </Optional>
              {!isPollInMenu && (
                <IconButton
                  icon="poll"
                  label="New poll"
                  // The member first chooses as whom to write.
                  disabled={!speaker.isChosen}
                  onClick={askPoll}
                />
              )}
              <Optional>
                <EmojiButton field={field} />
              </Optional>
            </>
          )}
          <button
            type="submit"
            className={styles.send}
            aria-label={`Send${asStaff}`}
            title={`Send${asStaff}`}
            aria-disabled={!isReady}
            data-ready={isReady || undefined}
          >
            <Icon name="send" />
          </button>
          {slowModeSeconds > 0 && !disabled && (
            <Optional resetKey={waitSeconds}>
              <SlowModeHint intervalSeconds={slowModeSeconds} waitSeconds={waitSeconds} />
            </Optional>
          )}
          <div role="alert" className={styles.rejected}>
            <Optional resetKey={rejected}>
              <RejectedFiles files={rejected} />
            </Optional>
          </div>
          <Offer {...draft} />
          <LengthHint length={messageText.length} />
        </div>
      </form>
      {asksPoll && (
        <OnDemand code={pollDialog} onFailure={closePoll}>
          {({ PollDialog }) => (
            <PollDialog {...draft} classId={props.classId} room={room} onClose={closePoll} />
          )}
        </OnDemand>
      )}
    </>
  );
}

/** Asks about a personal detail in the draft, or offers to format pasted code. */
function Offer(props: ReturnType<typeof useComposer>) {
  const { question, pastedCode, send, focus } = props;
  return (
    <div role="status" className={styles.ask}>
      {question.detail ? (
        <>
          <span>This looks like {question.detail}. Send anyway?</span>
          <Button variant="plain" onClick={send}>
            Send
          </Button>
          <Button
            variant="plain"
            onClick={() => {
              question.close();
              focus();
            }}
          >
            Edit
          </Button>
        </>
      ) : (
        pastedCode.isOffered && (
          <Button variant="plain" onClick={pastedCode.format}>
            Format as code
          </Button>
        )
      )}
    </div>
  );
}

function LengthHint({ length }: { length: number }) {
  if (length <= nearLimit) return null;
  const isTooLong = length > limits.messageText;
  return (
    <p className={isTooLong ? styles.problem : `${styles.problem} ${styles.near}`}>
      <span role="alert">{isTooLong && browserErrors.MESSAGE_TOO_LONG.message}</span>
      <span className={styles.count}>
        {formatCount(length)} / {formatCount(limits.messageText)}
      </span>
    </p>
  );
}

function SlowModeHint(props: { intervalSeconds: number; waitSeconds: number }) {
  const { intervalSeconds, waitSeconds } = props;
  return (
    <p className={`${styles.problem} ${styles.near}`}>
      {waitSeconds < 1
        ? `Slow mode: one message every ${formatWait(intervalSeconds)}.`
        : `You can send again in ${formatWait(waitSeconds)}.`}
    </p>
  );
}

interface ReplyTargetProps {
  message: RoomMessage;
  personas: RoomView['personas'];
  onCancel: () => void;
}

/** Shows above the field which message the next message replies to. */
function ReplyTarget({ message, personas, onCancel }: ReplyTargetProps) {
  return (
    <div className={styles.replying} role="group" aria-label="Your reply">
      <p className={styles.line}>
        <VisuallyHidden>Replying to </VisuallyHidden>
        <QuoteLine
          memberId={message.memberId}
          persona={personas.get(message.memberId)}
          text={summarizeMessage(message, personas)}
        />
      </p>
      <IconButton icon="close" label="Cancel reply" onClick={onCancel} />
    </div>
  );
}
