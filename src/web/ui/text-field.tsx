import { type InputHTMLAttributes, type Ref, useId } from 'react';
import { type FieldTexts, FormField, toControlProps } from '#web/ui/form-field.tsx';
import styles from './text-field.module.css';

interface Props
  extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'id'>, FieldTexts {
  label: string;
  ref?: Ref<HTMLInputElement>;
}

export function TextField({ label, hint, problem, problemId, ...rest }: Props) {
  const id = useId();
  return (
    <FormField id={id} label={label} hint={hint} problem={problem}>
      <input
        {...toControlProps(id, { hint, problem, problemId })}
        {...rest}
        className={styles.input}
      />
    </FormField>
  );
}
