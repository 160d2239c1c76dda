import type { ReactNode } from 'react';
import styles from './text-field.module.css';

interface Props {
  /** The id of the control. */
  id: string;
  label: string;
  hint?: string | undefined;
  children: ReactNode;
}

/** A form control with its label above and its hint below. */
export function FormField({ id, label, hint, children }: Props) {
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children}
      {hint && (
        <p className={styles.hint} id={toHintId(id)}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** The id of the hint, for `aria-describedby` of the control. */
export const toHintId = (id: string) => `${id}-hint`;
