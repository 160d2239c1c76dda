import { type InputHTMLAttributes, type Ref, useId } from 'react';
import { FormField, toHintId } from '#web/ui/form-field.tsx';
import styles from './text-field.module.css';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'id'> {
  label: string;
  hint?: string;
  ref?: Ref<HTMLInputElement>;
}

export function TextField({ label, hint, ...rest }: Props) {
  const id = useId();
  return (
    <FormField id={id} label={label} hint={hint}>
      <input
        {...rest}
        id={id}
        className={styles.input}
        aria-describedby={hint ? toHintId(id) : undefined}
      />
    </FormField>
  );
}
