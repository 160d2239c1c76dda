import type { ComponentProps, ReactNode } from 'react';
import { useMe } from '#web/data/session.ts';
import { SignInAgain } from '#web/data/sign-in-again.tsx';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';

interface Props extends Omit<ComponentProps<typeof FormDialog>, 'variant' | 'onEsc'> {
  passwordProps: Pick<ComponentProps<typeof PasswordField>, 'value' | 'problem' | 'onChange'>;
  /** Above the password. */
  children: ReactNode;
}

/** Says that the password is missing. Who signs in with the university has none. */
export function findPasswordProblem(password: string): string | null {
  return password || site.signOnLabel ? null : getText('moderation.passwordMissing');
}

/** A form that asks for the operator's password or sign-in again. It stays open while it is being sent. */
export function PasswordFormDialog({ passwordProps, children, ...dialogProps }: Props) {
  const email = useMe().data?.account?.email ?? '';
  return (
    <FormDialog {...dialogProps} variant="danger">
      {children}
      {/* Tells a password manager which account this is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      {site.hasPasswords && (
        <PasswordField kind="current" label={getText('moderation.password')} {...passwordProps} />
      )}
      {site.signOnLabel && <SignInAgain />}
    </FormDialog>
  );
}
