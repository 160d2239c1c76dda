import { type TextareaHTMLAttributes, useId } from 'react';
import { FormField, toHintId } from '#web/ui/form-field.tsx';
import styles from './text-field.module.css';

interface Props extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className' | 'id'> {
  label: string;
  hint?: string;
}

export function TextAreaField({ label, hint, ...rest }: Props) {
  const id = useId();
  return (
    <FormField id={id} label={label} hint={hint}>
      <textarea
        {...rest}
        id={id}
        className={`${styles.input} ${styles.area}`}
        aria-describedby={hint ? toHintId(id) : undefined}
      />
    </FormField>
  );
}
