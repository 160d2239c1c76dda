import type { ButtonHTMLAttributes } from 'react';
import styles from './button.module.css';

type ButtonVariant = 'primary' | 'quiet' | 'plain' | 'danger';

/** The button classes, for links that look like buttons. */
export function toButtonClass(variant: ButtonVariant, wide = false): string {
  return [styles['button'], styles[variant], wide && styles['wide']].filter(Boolean).join(' ');
}

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  variant?: ButtonVariant;
  wide?: boolean;
  /** Receives the focus when its dialog opens. */
  'data-first-focus'?: boolean;
  /** Receives the focus when the arrow keys move to its search result. */
  'data-hit-action'?: boolean;
}

export function Button({ variant = 'quiet', wide = false, type = 'button', ...rest }: Props) {
  return (
    <button
      {...rest}
      type={type}
      className={toButtonClass(variant, wide)}
      onClick={isDisabled(rest) ? undefined : rest.onClick}
    />
  );
}

/** A button that waits keeps the focus, so it is not `disabled`: it ignores presses. */
export function isDisabled(props: Pick<Props, 'aria-disabled'>): boolean {
  return props['aria-disabled'] === true || props['aria-disabled'] === 'true';
}
