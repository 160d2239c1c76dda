import type { ReactNode } from 'react';
import styles from './text-field.module.css';

export interface FieldTexts {
  hint?: string | undefined;
  /** What is wrong with the value. */
  problem?: string | null | undefined;
  /** The id of the element that says what is wrong, if it is not below the control. */
  problemId?: string | undefined;
}

interface Props extends FieldTexts {
  /** The id of the control. */
  id: string;
  label: string;
  children: ReactNode;
}

/** A form control with its label above, and its hint and what is wrong below. */
export function FormField({ id, label, hint, problem, children }: Props) {
  return (
    <div className={styles.field}>
      <label className="small medium" htmlFor={id}>
        {label}
      </label>
      {children}
      {hint && (
        <p className="meta" id={toHintId(id)}>
          {hint}
        </p>
      )}
      <FieldProblem id={id}>{problem}</FieldProblem>
    </div>
  );
}

/** Says what is wrong with the control that has the id. */
export function FieldProblem({ id, children }: { id: string; children: FieldTexts['problem'] }) {
  if (!children) return null;
  return (
    <p className={styles.problem} id={toProblemId(id)}>
      {children}
    </p>
  );
}

/** Marks the control of a `FormField` as wrong, and names what describes it. */
export function toControlProps(id: string, { hint, problem, problemId }: FieldTexts) {
  const problemText = problem ? toProblemId(id) : problemId;
  const describedBy = [hint && toHintId(id), problemText].filter(Boolean).join(' ');
  return {
    id,
    'aria-invalid': problemText !== undefined,
    'aria-describedby': describedBy || undefined,
  };
}

const toHintId = (id: string) => `${id}-hint`;
const toProblemId = (id: string) => `${id}-problem`;
