import type { ButtonHTMLAttributes } from 'react';
import { isDisabled } from './button.tsx';
import styles from './text-button.module.css';

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'>;

/** A button in or next to a line of text, in the size of that text. */
export function TextButton({ type = 'button', ...rest }: Props) {
  const onClick = isDisabled(rest) ? undefined : rest.onClick;
  return <button {...rest} type={type} className={styles.button} onClick={onClick} />;
}
