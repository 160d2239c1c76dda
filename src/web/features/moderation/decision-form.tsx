import { type SubmitEvent, useEffect, useId } from 'react';
import type { Case } from '#contract/moderation.ts';
import { useCommand } from '#web/data/use-call.ts';
import { moderationCalls } from './moderation.ts';
import { type MuteHours, muteLabels } from '#web/data/moderation-labels.ts';
import { getText, getTexts } from '#web/get-text.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import {
  type Draft,
  type Outcome,
  listOutcomes,
  listSuggestedReasons,
  isRemovingMessage,
  toDecision,
} from './decision.ts';
import { ReasonField, useReasonForm } from './reason-field.tsx';
import { outcomeKeys } from './use-moderation-keys.ts';
import styles from './decision-form.module.css';

interface Props {
  caseDetails: Case;
  draft: Draft;
  /** Reasons that the moderator gave before, newest first. */
  suggestions: readonly string[];
  onDraft: (change: Partial<Draft>) => void;
  onDecided: (decidedCase: Case) => void;
}

const outcomeLabels: Record<Outcome, string> = getTexts('moderation.outcome');

const submitLabels: Record<Outcome, string> = {
  ...outcomeLabels,
  ...getTexts('moderation.outcome.submit'),
};

/** Chooses a decision and its reason. If another moderator decides first, the typed reason stays. */
export function DecisionForm({ caseDetails, draft, suggestions, onDraft, onDecided }: Props) {
  const reasonForm = useReasonForm();
  // Not callbacks of `mutate`, which do not run if the moderator goes on to another case before the reply.
  const deciding = useCommand('decideCase', {
    refreshes: moderationCalls,
    onSuccess: (reply) => onDecided(reply.case),
    onError: reasonForm.showError,
  });
  const { form, field, clearProblems } = reasonForm;
  const { outcome, reason, takesFocus } = draft;
  const isOpen = caseDetails.state === 'open';
  useEffect(() => {
    if (outcome !== null && takesFocus) field.current?.focus({ preventScroll: true });
  }, [field, outcome, takesFocus]);
  const label = getText('moderation.decision.label');
  const isTakingNoAction = outcome === 'keep' && caseDetails.messageId === null;
  const submitLabel = isTakingNoAction
    ? getText('moderation.decision.takeNoAction')
    : outcome && submitLabels[outcome];
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (deciding.isPending || !isOpen) return;
    const body = toDecision(caseDetails, draft);
    if (!body) return;
    clearProblems();
    if (body.reason === '') {
      return reasonForm.rejectReason(getText('moderation.reason.missing'));
    }
    deciding.mutate({ params: { caseId: caseDetails.caseId }, body });
  };
  const setReason = (text: string) => {
    onDraft({ reason: text });
    clearProblems();
  };
  return (
    <form ref={form} className="stack-m" onSubmit={submit} noValidate aria-label={label}>
      <OutcomeButtons
        caseDetails={caseDetails}
        outcome={outcome}
        onChoose={(choice) => {
          clearProblems();
          onDraft(choice);
        }}
      />
      {(outcome !== null || reason !== '') && (
        <>
          <OutcomeOptions caseDetails={caseDetails} draft={draft} onDraft={onDraft} />
          <ReasonField
            ref={field}
            value={reason}
            hint={toReasonHint(outcome)}
            problem={reasonForm.problem}
            onChange={setReason}
          >
            {outcome !== null && (
              <div
                className={styles.suggestions}
                role="group"
                aria-label={getText('moderation.decision.suggestions')}
              >
                {listSuggestedReasons(caseDetails, outcome, suggestions).map((suggestedReason) => (
                  <button
                    key={suggestedReason}
                    type="button"
                    className={styles.suggestion}
                    onClick={() => {
                      setReason(suggestedReason);
                      field.current?.focus({ preventScroll: true });
                    }}
                  >
                    <bdi>{suggestedReason}</bdi>
                  </button>
                ))}
              </div>
            )}
          </ReasonField>
        </>
      )}
      <Callout kind="error">{reasonForm.error}</Callout>
      {outcome !== null && isOpen && (
        <div className={styles.actions}>
          <Button onClick={() => onDraft({ outcome: null })}>{getText('common.cancel')}</Button>
          <Button
            type="submit"
            variant={outcome === 'keep' ? 'primary' : 'danger'}
            aria-disabled={deciding.isPending}
          >
            {deciding.isPending ? getText('common.saving') : submitLabel}
          </Button>
        </div>
      )}
    </form>
  );
}

interface OutcomeButtonsProps {
  caseDetails: Case;
  outcome: Outcome | null;
  onChoose: (choice: Pick<Draft, 'outcome' | 'takesFocus'>) => void;
}

function OutcomeButtons({ caseDetails, outcome, onChoose }: OutcomeButtonsProps) {
  return (
    <div className={styles.outcomes} role="group" aria-label={getText('moderation.decision.label')}>
      {listOutcomes(caseDetails).map((choice) => (
        <button
          key={choice}
          type="button"
          className={styles.outcome}
          aria-pressed={outcome === choice}
          disabled={caseDetails.state !== 'open'}
          onClick={({ nativeEvent }) => {
            // With a finger, the keyboard of the screen would cover the message.
            const isTouch = (nativeEvent as PointerEvent).pointerType === 'touch';
            onChoose({ outcome: outcome === choice ? null : choice, takesFocus: !isTouch });
          }}
        >
          {choice === 'keep' && caseDetails.messageId === null
            ? getText('moderation.decision.noAction')
            : outcomeLabels[choice]}
          <kbd className="key" aria-hidden="true">
            {outcomeKeys[choice]}
          </kbd>
        </button>
      ))}
    </div>
  );
}

/** What an outcome still has to say: how long, and what else happens. */
function OutcomeOptions({
  caseDetails,
  draft,
  onDraft,
}: Pick<Props, 'caseDetails' | 'draft' | 'onDraft'>) {
  const id = useId();
  const { outcome } = draft;
  return (
    <>
      {outcome === 'mute' && (
        <fieldset className={styles.options}>
          <legend>{getText('moderation.decision.muteFor')}</legend>
          {Object.entries(muteLabels).map(([hours, label]) => (
            <label key={hours} className="check-row">
              <input
                type="radio"
                name={`${id}-hours`}
                checked={draft.hours === Number(hours)}
                onChange={() => onDraft({ hours: Number(hours) as MuteHours })}
              />
              {label}
            </label>
          ))}
        </fieldset>
      )}
      {outcome === 'expel' && <p className="meta">{getText('legal.moderation.expel')}</p>}
      {outcome === 'escalate' && <p className="meta">{getText('legal.moderation.escalate')}</p>}
      {(outcome === 'mute' || outcome === 'expel' || outcome === 'escalate') &&
        caseDetails.messageId !== null && (
          <CheckBox
            checked={isRemovingMessage(draft)}
            onChange={(isChecked) => onDraft({ removesMessage: isChecked })}
          >
            {getText('moderation.decision.alsoRemove')}
          </CheckBox>
        )}
      {outcome !== null && outcome !== 'keep' && outcome !== 'escalate' && (
        <CheckBox
          checked={draft.escalates}
          onChange={(isChecked) => onDraft({ escalates: isChecked })}
        >
          {getText('moderation.decision.alsoEscalate')}
        </CheckBox>
      )}
    </>
  );
}

/** Says who reads the reason. */
function toReasonHint(outcome: Outcome | null): string {
  if (outcome === 'keep') return getText('moderation.reason.forModerators');
  if (outcome === 'escalate') return getText('moderation.reason.forOperators');
  return getText('moderation.reason.shown');
}
