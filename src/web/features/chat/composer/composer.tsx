// No check, hint or suggestion may stop a message from going out: each runs in `attempt` or is shown in `Optional`
// (SEND-45).
import { type KeyboardEvent, type RefObject, useEffect, useSyncExternalStore } from 'react';
import { errors } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { Room, RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { attempt } from '#web/attempt.ts';
import { formatCount } from '#web/format.ts';
import { createLazyModule, createPreloadedModule } from '#web/lazy-module.ts';
import { Button } from '#web/ui/button.tsx';
import { Optional } from '#web/error-boundary.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { readMentionDraft, saveMentionDraft } from '#web/data/drafts.ts';
import { EmojiButton } from '../emoji/emoji-button.tsx';
import { MentionSuggestions } from './mention-suggestions.tsx';
import { MessageField } from './message-field.tsx';
import { useMentionField } from './use-mention-field.ts';
import { MentionProvider } from '../messages/mention.tsx';
import { messageSummary } from '../messages/message-summary.ts';
import { formatWait, useSecondsUntil } from '../messages/waiting-reason.tsx';
import { QuoteLine } from '../messages/quoted-message.tsx';
import { PictureButton } from './choose-picture.tsx';
import { Preview } from './preview.tsx';
import { RefusedFiles } from './refused-files.tsx';
import { slowModeEnd } from './slow-mode.ts';
import { usePastedCode } from './use-pasted-code.ts';
import { useSendQuestion } from './use-send-question.ts';
import styles from './composer.module.css';

const stagedPictures = createPreloadedModule(() => import('./staged-pictures.tsx'));
const speakerChoice = createLazyModule(() => import('./speaker-choice.tsx'));

interface Props {
  classId: string;
  label: string;
  field: RefObject<HTMLTextAreaElement | null>;
  room: Room;
  view: RoomView;
  /** The message that the next message replies to. */
  replyingTo: RoomMessage | null;
  onCancelReply: () => void;
  /** Starts an edit of the member's last message. */
  onEditLast: () => void;
  /** Scrolls the messages by a page. */
  onPage: (direction: 'up' | 'down') => void;
  /** The viewer cannot write now. The draft stays. */
  disabled: boolean;
}

const nearLimit = limits.messageText - 200;

export function Composer(props: Props) {
  const { classId, label, field, room, view, replyingTo, onCancelReply } = props;
  const { onEditLast, onPage, disabled } = props;
  const mentions = useMentionField({
    classId,
    room,
    view,
    field,
    initial: () => readMentionDraft(classId),
    onChange: (draft) => saveMentionDraft(classId, draft),
  });
  const { text, messageText: body } = mentions;
  const { staging } = room;
  const { pictures, reading, refused } = useSyncExternalStore(
    staging.subscribe,
    staging.getSnapshot,
  );
  const tooLong = body.length > limits.messageText;
  const { slowModeSeconds, picturesOff } = view.settings;
  // The clock of the server may be ahead.
  const waitSeconds = Math.min(
    slowModeSeconds,
    useSecondsUntil(attempt(() => slowModeEnd(view), null)),
  );
  const hasContent = body !== '' || pictures.length > 0;
  const { staff, speaker } = view;
  const maySpeak = staff?.maySpeak === true;
  const hasChoice = maySpeak || speaker !== 'self';
  // No message goes out before it is visible as whom.
  const isChoiceShown = useSyncExternalStore(speakerChoice.subscribe, speakerChoice.getSnapshot);
  const isChosen =
    !hasChoice || (isChoiceShown && (speaker === 'staff' ? maySpeak : speaker === 'self'));
  const asStaff = maySpeak && speaker === 'staff' ? ` as ${staff.persona.anonymousName}` : '';
  const ready = hasContent && !tooLong && !reading && !disabled && waitSeconds < 1 && isChosen;

  useEffect(() => {
    // Focuses only on devices with a mouse: on a phone the on-screen keyboard would cover the room.
    if (matchMedia('(hover: hover)').matches && !document.querySelector('dialog[open]')) {
      field.current?.focus({ preventScroll: true });
    }
  }, [field]);

  const pastedCode = usePastedCode(field, text);
  const question = useSendQuestion();
  const focusField = () => field.current?.focus({ preventScroll: true });
  const send = () => {
    if (!isChosen) field.current?.form?.querySelector<HTMLElement>('[name=speaker]')?.focus();
    if (!ready) return;
    if (!attempt(() => question.maySend(text.trim()), true)) return focusField();
    room.post(body, replyingTo?.id);
    for (const tidyUp of [mentions.clear, question.reset, pastedCode.decline, onCancelReply]) {
      attempt(tidyUp, undefined);
    }
    focusField();
  };
  const stage = (files: readonly File[]) => {
    void staging.add(files);
    focusField();
  };
  const keyDown = (event: KeyboardEvent) => {
    if (mentions.keyDown(event)) return;
    if (event.key === 'ArrowUp' && !text && !disabled) {
      event.preventDefault();
      onEditLast();
    } else if (event.key === 'PageUp' || event.key === 'PageDown') {
      event.preventDefault();
      onPage(event.key === 'PageUp' ? 'up' : 'down');
    } else if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
      if (question.detail) question.close();
      else if (pastedCode.isOffered) pastedCode.decline();
      else if (replyingTo) onCancelReply();
      else return;
      event.preventDefault();
    }
  };

  return (
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
        {hasChoice && (
          <OnDemand code={speakerChoice}>
            {({ SpeakerChoice }) => <SpeakerChoice room={room} view={view} onChosen={focusField} />}
          </OnDemand>
        )}
        {replyingTo && (
          <Optional resetKey={replyingTo}>
            <ReplyTarget
              message={replyingTo}
              personas={view.personas}
              onCancel={() => {
                onCancelReply();
                focusField();
              }}
            />
          </Optional>
        )}
        {pictures.length > 0 && (
          <OnDemand code={stagedPictures}>
            {({ StagedPictures }) => (
              <StagedPictures pictures={pictures} staging={staging} onRemoved={focusField} />
            )}
          </OnDemand>
        )}
        <Optional resetKey={body}>
          <MentionProvider view={view}>
            <Preview text={body} />
          </MentionProvider>
        </Optional>
        {!disabled &&
          (picturesOff ? <span className={styles.noPictures} /> : <PictureButton onPick={stage} />)}
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
          aria-invalid={tooLong}
          readOnly={disabled}
          aria-disabled={disabled}
          enterKeyHint="send"
          value={text}
          onChange={(next) => {
            mentions.change(next);
            question.close();
            if (next.trim()) room.notifyTyping();
            else question.reset();
          }}
          onSubmit={send}
          onKeyDown={keyDown}
          onPaste={pastedCode.onPaste}
        />
        {!disabled && (
          <Optional>
            <EmojiButton field={field} />
          </Optional>
        )}
        <button
          type="submit"
          className={styles.send}
          aria-label={`Send${asStaff}`}
          title={`Send${asStaff}`}
          aria-disabled={!ready}
          data-ready={ready || undefined}
        >
          <Icon name="send" />
        </button>
        {slowModeSeconds > 0 && !disabled && (
          <Optional resetKey={waitSeconds}>
            <SlowModeHint intervalSeconds={slowModeSeconds} waitSeconds={waitSeconds} />
          </Optional>
        )}
        <div role="alert" className={styles.refused}>
          <Optional resetKey={refused}>
            <RefusedFiles refused={refused} />
          </Optional>
        </div>
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
                  focusField();
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
        {body.length > nearLimit && (
          <p className={tooLong ? styles.problem : `${styles.problem} ${styles.near}`}>
            <span role="alert">{tooLong && errors.MESSAGE_TOO_LONG.message}</span>
            <span className={styles.count}>
              {formatCount(body.length)} / {formatCount(limits.messageText)}
            </span>
          </p>
        )}
      </div>
    </form>
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
          text={messageSummary(message, personas)}
        />
      </p>
      <IconButton icon="close" label="Cancel reply" onClick={onCancel} />
    </div>
  );
}
