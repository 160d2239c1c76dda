import type { ComponentProps } from 'react';
import { limits } from '#contract/limits.ts';
import { TextField } from '#web/ui/text-field.tsx';

/** The address of someone else, which the browser must not fill in. */
export function AddressField(props: ComponentProps<typeof TextField>) {
  return (
    <TextField
      {...props}
      type="email"
      dir="auto"
      autoComplete="off"
      spellCheck={false}
      maxLength={limits.email}
    />
  );
}
