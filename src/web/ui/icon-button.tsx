import type { ButtonHTMLAttributes, Ref } from 'react';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import styles from './icon-button.module.css';

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'aria-label'> {
  icon: IconName;
  label: string;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, type = 'button', ...rest }: Props) {
  return (
    <button {...rest} type={type} className={styles.button} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}
