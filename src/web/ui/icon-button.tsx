import type { ButtonHTMLAttributes, Ref } from 'react';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import styles from './icon-button.module.css';

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'aria-label'> {
  icon: IconName;
  label: string;
  ref?: Ref<HTMLButtonElement>;
}

/** Its children, such as a number, are next to the icon. */
export function IconButton({ icon, label, type = 'button', children, ...rest }: Props) {
  return (
    <button {...rest} type={type} className={styles.button} aria-label={label} title={label}>
      <Icon name={icon} />
      {children}
    </button>
  );
}
