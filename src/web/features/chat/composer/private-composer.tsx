// The composer while only staff will read what is written. It knows no way to post in the room.
import { call, toErrorMessage } from '#web/api.ts';
import { attempt } from '#web/attempt.ts';
import { isQuestionDraft, toPrivateDraft } from '#web/data/drafts.ts';
import { usePrivateDraft } from '#web/data/private-questions.ts';
import { getText } from '#web/get-text.ts';
import { NeutralTile } from '#web/ui/neutral-tile.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { useStore } from '#web/use-store.ts';
import { MessageField } from './message-field.tsx';
import { Offer } from './offer.tsx';
import { OnlyStaffSwitch } from './only-staff-switch.tsx';
import { type ComposerOptions, useFocusOnOpen } from './use-composer.ts';
import { usePastedCode } from './use-pasted-code.ts';
import { useSendQuestion } from './use-send-question.ts';
import styles from './composer.module.css';

interface Props extends Pick<ComposerOptions, 'classId' | 'field' | 'room'> {
  /** The class. */
  label: string;
}

const noteId = 'only-staff-note';

export function PrivateComposer({ classId, label, field, room }: Props) {
  const notify = useNotify();
  const { pictures } = useStore(room.staging);
  const focus = () => field.current?.focus({ preventScroll: true });
  const draft = usePrivateDraft({
    draftId: classId,
    send: (questionId, text) =>
      call('askPrivately', { params: { classId, questionId }, body: { text } }),
    onSent() {
      notify({ text: getText('chat.private.asked') });
      focus();
    },
  });
  const { typedText, text, isReady, isPending, error } = draft;
  const pastedCode = usePastedCode(field, typedText);
  const question = useSendQuestion();
  useFocusOnOpen(field);
  const ask = () => {
    question.whenLoaded(typedText, () => {
      // Another press gave the text back to the class.
      if (!isQuestionDraft(toPrivateDraft(classId))) return;
      if (isReady && attempt(() => question.maySend([text]), true)) draft.send();
    });
    focus();
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <div className={styles.box} data-private>
        <div className={styles.private}>
          <p id={noteId} role="status">
            {getText('chat.private.note')}
          </p>
          <OnlyStaffSwitch classId={classId} field={field} isOn disabled={isPending} />
        </div>
        <div className={styles.line}>
          <span className={styles.speaker}>
            <NeutralTile size={28} />
          </span>
          <MessageField
            ref={field}
            data-first-focus
            className={styles.field}
            placeholder={getText('chat.private.placeholder')}
            aria-label={getText('chat.private.label', { className: label })}
            aria-describedby={noteId}
            readOnly={isPending}
            enterKeyHint="send"
            value={typedText}
            onChange={(next) => {
              draft.change(next);
              question.close();
              if (!next.trim()) question.reset();
            }}
            onSubmit={ask}
            onPaste={pastedCode.onPaste}
          />
          <button
            type="submit"
            className={styles.send}
            aria-disabled={!isReady}
            data-ready={isReady || undefined}
          >
            <span>{getText('chat.private.ask')}</span>
          </button>
        </div>
        {pictures.length > 0 && <p className={styles.near}>{getText('chat.private.noPictures')}</p>}
        <div role="alert" className={styles.problem}>
          {error && getText('chat.private.failed', { error: toErrorMessage(error) })}
        </div>
        <Offer question={question} pastedCode={pastedCode} send={ask} focus={focus} />
      </div>
    </form>
  );
}
