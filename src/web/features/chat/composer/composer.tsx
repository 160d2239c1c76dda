// No check, hint or suggestion may stop a message from going out: each runs in `attempt` or is shown in `Optional`
// (SEND-45).
import { type ReactNode, useState } from 'react';
import { limits } from '#contract/limits.ts';
import { getText } from '#web/get-text.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { createLazyModule, createPreloadedModule } from '#web/lazy-module.ts';
import { narrow } from '#web/ui/breakpoints.ts';
import { Optional } from '#web/error-boundary.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { useMediaQuery } from '#web/ui/use-media-query.ts';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { saveQuestionDraft, toPrivateDraft, useQuestionDraft } from '#web/data/drafts.ts';
import type { Anchor } from '#web/ui/menu.tsx';
import { EmojiButton } from '../emoji/emoji-button.tsx';
import { MentionSuggestions, UnreachedHint } from './mention-suggestions.tsx';
import { MessageField } from './message-field.tsx';
import { MentionProvider } from '#web/ui/mention.tsx';
import { formatWait } from '#web/ui/use-seconds-until.ts';
import { AddButton } from './choose-picture.tsx';
import { Offer } from './offer.tsx';
import { QuestionToggle } from './question-toggle.tsx';
import { findSpeaker } from './send-state.ts';
import { type ComposerOptions, speakerChoice, useComposer } from './use-composer.ts';
import styles from './composer.module.css';

const preview = createPreloadedModule(() => import('./preview.tsx'));
const hints = createPreloadedModule(() => import('./composer-hints.tsx'));
const pollDialog = createLazyModule(() => import('./poll-dialog.tsx'));
const topicChoice = createPreloadedModule(() => import('./topic-choice.tsx'));
const stagedPictures = createPreloadedModule(() => import('./staged-pictures.tsx'));

interface Props extends ComposerOptions {
  label: string;
  /** Shown at the top from the first focus on. */
  introduction?: ReactNode;
}

const nearLimit = limits.messageText - 200;

export function Composer(props: Props) {
  const isPrivate = useQuestionDraft(toPrivateDraft(props.classId)) && !props.disabled;
  if (!isPrivate) return <RoomComposer {...props} />;
  return (
    <OnDemand code={hints}>{({ PrivateComposer }) => <PrivateComposer {...props} />}</OnDemand>
  );
}

function RoomComposer(props: Props) {
  const { classId, label, field, room, view, disabled } = props;
  const draft = useComposer(props);
  const { mentions, rejected, waitSeconds, speaker, isReady, focus, send } = draft;
  const { text, messageText } = mentions;
  const { slowModeSeconds, picturesOff } = view.settings;
  const isQuestion = useQuestionDraft(classId) && !disabled;
  // With a mouse, the field has the focus from the start.
  const [hasFocused, setHasFocused] = useState(() => matchMedia('(hover: hover)').matches);
  const [asksPoll, setAsksPoll] = useState(false);
  const [emojiAnchor, setEmojiAnchor] = useState<Anchor | null>(null);
  const askPoll = () => setAsksPoll(true);
  const closePoll = () => setAsksPoll(false);
  const hasMenu = useMediaQuery(narrow);
  const { staffName } = speaker;
  const sendLabel = toSendLabel(isQuestion, staffName);
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
          data-accent={isQuestion || staffName ? '' : undefined}
        >
          {hasFocused && !disabled && props.introduction}
          <NextMessage {...props} draft={draft} isQuestion={isQuestion} />
          <Optional resetKey={text}>
            <MentionSuggestions className={styles.suggestions} suggestions={mentions.suggestions} />
          </Optional>
          <div className={styles.line}>
            <SpeakerTile view={view} />
            {!disabled && (
              <AddButton
                hasMenu={hasMenu}
                onPick={picturesOff ? null : draft.stage}
                // The member first chooses as whom to write.
                onPoll={speaker.isChosen ? askPoll : null}
                onEmoji={() => setEmojiAnchor(field.current?.getBoundingClientRect() ?? null)}
              />
            )}
            <MessageField
              {...mentions.fieldProps}
              ref={field}
              data-first-focus
              className={styles.field}
              placeholder={
                isQuestion
                  ? getText('chat.composer.placeholderQuestion')
                  : getText('chat.composer.placeholder')
              }
              aria-label={
                staffName === null
                  ? getText('chat.composer.label', { className: label })
                  : getText('chat.composer.labelAs', { className: label, staffName })
              }
              aria-invalid={messageText.length > limits.messageText}
              readOnly={disabled}
              aria-disabled={disabled}
              enterKeyHint="send"
              onFocus={() => setHasFocused(true)}
              value={text}
              onChange={draft.change}
              onSubmit={send}
              onKeyDown={draft.handleKeyDown}
              onPaste={draft.pastedCode.onPaste}
            />
            {!disabled && (
              <>
                <Optional resetKey={text}>
                  <QuestionToggle {...props} text={text} isQuestion={isQuestion} onToggle={focus} />
                </Optional>
                {!hasMenu && (
                  <IconButton
                    icon="poll"
                    label={getText('chat.poll.new')}
                    disabled={!speaker.isChosen}
                    onClick={askPoll}
                  />
                )}
                <Optional>
                  <EmojiButton
                    field={field}
                    anchor={emojiAnchor}
                    onAnchor={setEmojiAnchor}
                    isInMenu={hasMenu}
                  />
                </Optional>
              </>
            )}
            <button
              type="submit"
              className={styles.send}
              aria-label={sendLabel}
              title={sendLabel}
              aria-disabled={!isReady}
              data-ready={isReady || undefined}
            >
              {isQuestion ? <span>{getText('chat.composer.ask')}</span> : <Icon name="send" />}
            </button>
          </div>
          {slowModeSeconds > 0 && !disabled && (
            <Optional resetKey={waitSeconds}>
              <SlowModeHint intervalSeconds={slowModeSeconds} waitSeconds={waitSeconds} />
            </Optional>
          )}
          <div role="alert" className={styles.problem}>
            <Optional resetKey={rejected}>
              {rejected.length > 0 && (
                <OnDemand code={hints} isQuiet>
                  {({ RejectedFiles }) => <RejectedFiles files={rejected} />}
                </OnDemand>
              )}
            </Optional>
          </div>
          <Optional resetKey={text}>
            <UnreachedHint {...mentions} />
          </Optional>
          <Offer {...draft} />
          {messageText.length > nearLimit && (
            <OnDemand code={hints} isQuiet>
              {({ LengthHint }) => <LengthHint length={messageText.length} />}
            </OnDemand>
          )}
        </div>
      </form>
      {asksPoll && (
        <OnDemand code={pollDialog} onFailure={closePoll}>
          {({ PollDialog }) => (
            <PollDialog {...draft} classId={classId} room={room} onClose={closePoll} />
          )}
        </OnDemand>
      )}
    </>
  );
}

interface NextMessageProps extends Props {
  draft: ReturnType<typeof useComposer>;
  isQuestion: boolean;
}

/** Above the field: who speaks, what the message is, to what it replies, its pictures, and its preview. */
function NextMessage({ draft, isQuestion, ...props }: NextMessageProps) {
  const { classId, room, view, replyingTo, onCancelReply } = props;
  const { mentions, pictures, speaker, focus } = draft;
  const { messageText } = mentions;
  return (
    <>
      {speaker.hasChoice && (
        <OnDemand code={speakerChoice}>
          {({ SpeakerChoice }) => <SpeakerChoice room={room} view={view} onChosen={focus} />}
        </OnDemand>
      )}
      {hasTopicChoice(props) && (
        <Optional resetKey={view.settings.topics}>
          <OnDemand code={topicChoice} isQuiet>
            {({ TopicChoice }) => <TopicChoice room={room} view={view} onChosen={focus} />}
          </OnDemand>
        </Optional>
      )}
      {isQuestion && (
        <OnDemand code={hints} isQuiet>
          {({ QuestionStrip }) => (
            <QuestionStrip
              {...props}
              onCancel={() => {
                saveQuestionDraft(classId, false);
                focus();
              }}
            />
          )}
        </OnDemand>
      )}
      {replyingTo && (
        <Optional resetKey={replyingTo}>
          <OnDemand code={hints} isQuiet>
            {({ ReplyTarget }) => (
              <ReplyTarget
                message={replyingTo}
                personas={view.personas}
                onCancel={() => {
                  onCancelReply();
                  focus();
                }}
              />
            )}
          </OnDemand>
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
    </>
  );
}

/** A reply has the topic of its source, and what is written in a topic has that. */
function hasTopicChoice({ view, replyingTo, disabled }: Props): boolean {
  const { topics = [] } = view.settings;
  if (disabled || replyingTo || view.topic) return false;
  return topics.some(({ archived }) => !archived);
}

/** Who sends the next message. The label of the field says it to screen readers. */
function SpeakerTile({ view }: { view: RoomView }) {
  const persona = findSpeaker(view);
  if (!persona) return null;
  return (
    <span className={styles.speaker} title={persona.anonymousName}>
      <PersonaIcon seed={persona.icon} size={28} />
    </span>
  );
}

function toSendLabel(isQuestion: boolean, staffName: string | null): string {
  if (staffName === null) {
    return isQuestion ? getText('chat.composer.ask') : getText('chat.composer.send');
  }
  return isQuestion
    ? getText('chat.composer.askAs', { staffName })
    : getText('chat.composer.sendAs', { staffName });
}

function SlowModeHint(props: { intervalSeconds: number; waitSeconds: number }) {
  const { intervalSeconds, waitSeconds } = props;
  return (
    <p className={styles.near}>
      {waitSeconds < 1
        ? getText('chat.slowMode.interval', { wait: formatWait(intervalSeconds) })
        : getText('chat.slowMode.wait', { wait: formatWait(waitSeconds) })}
    </p>
  );
}
