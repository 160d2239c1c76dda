import { type SelectHTMLAttributes, useId } from 'react';
import { FormField } from '#web/ui/form-field.tsx';
import { Icon } from '#web/ui/icon.tsx';
import styles from './text-field.module.css';

interface Props extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className' | 'id'> {
  label: string;
}

export function SelectField({ label, ...rest }: Props) {
  const id = useId();
  return (
    <FormField id={id} label={label}>
      <div className={styles.box}>
        <select {...rest} id={id} className={`${styles.input} ${styles.select}`} />
        <span className={styles.chevron}>
          <Icon name="chevron" />
        </span>
      </div>
    </FormField>
  );
}
