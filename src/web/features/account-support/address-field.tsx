import type { Ref } from 'react';
import { limits } from '#contract/limits.ts';
import { TextField } from '#web/ui/text-field.tsx';

interface Props {
  ref: Ref<HTMLInputElement>;
  label: string;
  hint?: string;
  problem: string | null;
  value: string;
  onChange: (address: string) => void;
}

/** The address of someone else, which the browser must not fill in. */
export function AddressField({ onChange, ...rest }: Props) {
  return (
    <TextField
      {...rest}
      type="email"
      dir="auto"
      autoComplete="off"
      spellCheck={false}
      maxLength={limits.email}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
