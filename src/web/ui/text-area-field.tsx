import { type TextareaHTMLAttributes, useId } from 'react';
import { type FieldTexts, FormField, toControlProps } from '#web/ui/form-field.tsx';
import styles from './text-field.module.css';

interface Props
  extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className' | 'id'>, FieldTexts {
  label: string;
}

export function TextAreaField({ label, hint, problem, problemId, ...rest }: Props) {
  const id = useId();
  return (
    <FormField id={id} label={label} hint={hint} problem={problem}>
      <textarea
        {...toControlProps(id, { hint, problem, problemId })}
        {...rest}
        className={`${styles.input} ${styles.area}`}
      />
    </FormField>
  );
}
