import { type ReactNode, type RefObject, useId, useRef, useState } from 'react';
import { limits } from '#contract/limits.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { toErrorMessage } from '#web/api.ts';
import { getText } from '#web/get-text.ts';
import { FieldProblem, toControlProps } from '#web/ui/form-field.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { isComposing } from '#web/ui/shortcut-keys.ts';
import { useWrongFieldFocus } from '#web/ui/use-wrong-field-focus.ts';
import styles from './decision-form.module.css';

interface Props {
  ref: RefObject<HTMLTextAreaElement | null>;
  value: string;
  /** Who sees the reason. Near the limit, the number of characters takes its place. */
  hint: string;
  problem: string | null;
  onChange: (reason: string) => void;
  /** Below the field. */
  children?: ReactNode;
}

/** The reason of a decision. Enter submits the form, Shift+Enter breaks the line. */
export function ReasonField({ ref, value, hint, problem, onChange, children }: Props) {
  const id = useId();
  const length = Array.from(value).length;
  const isNearLimit = length > limits.decisionReason - 100;
  return (
    <div className="stack-xs">
      <label className="small medium" htmlFor={id}>
        {getText('moderation.reason.label')}
      </label>
      <textarea
        {...toControlProps(id, { hint, problem })}
        ref={ref}
        className={styles.reasonText}
        rows={2}
        dir="auto"
        value={value}
        enterKeyHint="send"
        aria-invalid={problem !== null || length > limits.decisionReason}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
        onChange={({ target }) => onChange(target.value)}
      />
      <p id={`${id}-hint`} className="meta">
        {isNearLimit ? `${length} / ${limits.decisionReason}` : hint}
      </p>
      <FieldProblem id={id}>{problem}</FieldProblem>
      {children}
    </div>
  );
}

/** What keeps a decision from being saved: a missing reason, or the server. What the moderator typed stays. */
export function useReasonForm() {
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const focusWrongField = useWrongFieldFocus(form, false);
  const notify = useNotify();
  const [problem, setProblem] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  return {
    form,
    field,
    /** What is wrong with the reason. */
    problem,
    /** Why the server did not save the decision. */
    error,
    clearProblems() {
      setProblem(null);
      setError(null);
    },
    rejectReason(sentence: string) {
      setProblem(sentence);
      focusWrongField();
    },
    showError(failure: Error) {
      // The moderator has gone on to another case.
      if (!form.current) return notify({ text: toErrorMessage(failure) });
      setError(
        failure instanceof RejectedError
          ? // If another moderator decided first, the server's message says who.
            failure.message
          : getText('moderation.reason.kept', { problem: toErrorMessage(failure) }),
      );
      field.current?.focus();
    },
  };
}
