import type { ButtonHTMLAttributes } from 'react';
import styles from './button.module.css';

type ButtonLook = 'primary' | 'quiet' | 'plain' | 'danger';

/** The classes of a button, for links that look like one. */
export function buttonClass(look: ButtonLook, wide = false): string {
  return [styles['button'], styles[look], wide && styles['wide']].filter(Boolean).join(' ');
}

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  look?: ButtonLook;
  wide?: boolean;
  /** Gets the focus when its dialog opens. */
  'data-first-focus'?: boolean;
}

export function Button({ look = 'quiet', wide = false, type = 'button', ...rest }: Props) {
  return <button {...rest} type={type} className={buttonClass(look, wide)} />;
}
