import { type SelectHTMLAttributes, useId } from 'react';
import { type FieldTexts, FormField, toControlProps } from '#web/ui/form-field.tsx';
import { Icon } from '#web/ui/icon.tsx';
import styles from './text-field.module.css';

interface Props
  extends
    Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className' | 'id'>,
    Pick<FieldTexts, 'problem'> {
  label: string;
}

export function SelectField({ label, problem, ...rest }: Props) {
  const id = useId();
  return (
    <FormField id={id} label={label} problem={problem}>
      <div className={styles.box}>
        <select
          {...toControlProps(id, { problem })}
          {...rest}
          className={`${styles.input} ${styles.select}`}
        />
        <span className={styles.chevron}>
          <Icon name="chevron" />
        </span>
      </div>
    </FormField>
  );
}
