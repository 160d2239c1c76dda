import type { InputHTMLAttributes, ReactNode } from 'react';
import { isDisabled } from './button.tsx';

interface Props extends Omit<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'className' | 'onChange'
> {
  /** Further classes of the label. */
  className?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** The label. */
  children: ReactNode;
}

export function CheckBox({ className = '', onChange, children, ...rest }: Props) {
  return (
    <label className={`check-row ${className}`}>
      <input
        {...rest}
        type="checkbox"
        onChange={({ target }) => !isDisabled(rest) && onChange(target.checked)}
      />
      {children}
    </label>
  );
}
