import { type ReactNode, useState } from 'react';
import { useMe } from '#web/data/session.ts';
import { SignInAgain } from '#web/data/sign-in-again.tsx';
import { site } from '#web/site.ts';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';

interface Props {
  title: string;
  text: string;
  submitLabel: string;
  isPending: boolean;
  error: string | null;
  password: string;
  /** The last attempt was rejected because the password was missing. */
  isPasswordMissing: boolean;
  onPassword: (password: string) => void;
  onSubmit: () => void;
  onCancel: () => void;
  /** Above the password. */
  children: ReactNode;
}

/** A form that asks for the operator's password or sign-in again. It stays open while it is being sent. */
export function PasswordFormDialog(props: Props) {
  const { title, text, submitLabel, isPending, error, password, onPassword, children } = props;
  const { onSubmit, onCancel } = props;
  const [signInError, setSignInError] = useState<string | null>(null);
  const email = useMe().data?.account?.email ?? '';
  return (
    <FormDialog
      title={title}
      text={text}
      variant="danger"
      submitLabel={submitLabel}
      isPending={isPending}
      error={error ?? signInError}
      onSubmit={onSubmit}
      onCancel={onCancel}
    >
      {children}
      {/* Tells a password manager which account this is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      {site.hasPasswords && (
        <PasswordField
          kind="current"
          label="Your password"
          problem={props.isPasswordMissing && !password ? 'Please enter your password.' : null}
          value={password}
          onChange={onPassword}
        />
      )}
      {site.signOnLabel && <SignInAgain onError={setSignInError} />}
    </FormDialog>
  );
}
