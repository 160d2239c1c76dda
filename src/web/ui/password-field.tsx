import { type InputHTMLAttributes, type Ref, useId, useState } from 'react';
import { Icon } from '#web/ui/icon.tsx';
import styles from './text-field.module.css';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'id' | 'type'> {
  label: string;
  hint?: string;
  ref?: Ref<HTMLInputElement>;
}

export function PasswordField({ label, hint, ...rest }: Props) {
  const id = useId();
  const [shown, setShown] = useState(false);
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.box}>
        <input
          {...rest}
          id={id}
          type={shown ? 'text' : 'password'}
          className={`${styles.input} ${styles.withReveal}`}
          aria-describedby={hint ? `${id}-hint` : undefined}
          autoCapitalize="none"
          spellCheck={false}
        />
        <button
          type="button"
          className={styles.reveal}
          aria-label={shown ? 'Hide what I typed' : 'Show what I typed'}
          onClick={() => setShown(!shown)}
        >
          <Icon name={shown ? 'eyeOff' : 'eye'} />
        </button>
      </div>
      {hint && (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
