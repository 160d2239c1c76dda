import { type InputHTMLAttributes, type Ref, useId } from 'react';
import styles from './text-field.module.css';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'id'> {
  label: string;
  hint?: string;
  ref?: Ref<HTMLInputElement>;
}

export function TextField({ label, hint, ...rest }: Props) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <input
        {...rest}
        id={id}
        className={styles.input}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      {hint && (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
