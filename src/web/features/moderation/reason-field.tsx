import { type ReactNode, type RefObject, useId } from 'react';
import { limits } from '#contract/limits.ts';
import { FieldProblem, toControlProps } from '#web/ui/form-field.tsx';
import { isComposing } from '#web/ui/shortcut-keys.ts';
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
    <div className={styles.reason}>
      <label htmlFor={id}>Reason</label>
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
      <p id={`${id}-hint`} className={styles.note}>
        {isNearLimit ? `${length} / ${limits.decisionReason}` : hint}
      </p>
      <FieldProblem id={id}>{problem}</FieldProblem>
      {children}
    </div>
  );
}
