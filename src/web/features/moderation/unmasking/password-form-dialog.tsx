import { type ReactNode, type SubmitEvent, useCallback, useId, useState } from 'react';
import { useMe } from '#web/data/session.ts';
import { SignInAgain } from '#web/data/sign-in-again.tsx';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import styles from './unmasking.module.css';

interface Props {
  title: string;
  text: string;
  submitLabel: string;
  isPending: boolean;
  error: string | null;
  password: string;
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
  const form = useId();
  const [signInError, setSignInError] = useState<string | null>(null);
  const email = useMe().data?.account?.email ?? '';
  const dismiss = useCallback(() => {
    if (!isPending) onCancel();
  }, [isPending, onCancel]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!isPending) onSubmit();
  };
  return (
    <Modal
      title={title}
      text={text}
      onDismiss={dismiss}
      actions={
        <>
          <Button onClick={dismiss}>Cancel</Button>
          <Button variant="danger" type="submit" form={form} aria-disabled={isPending}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit} noValidate>
        {children}
        {/* Tells a password manager which account this is. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        {site.hasPasswords && (
          <PasswordField
            kind="current"
            label="Your password"
            value={password}
            onChange={onPassword}
          />
        )}
        {site.signOnLabel && <SignInAgain onError={setSignInError} />}
        <Callout kind="error">{error ?? signInError}</Callout>
      </form>
    </Modal>
  );
}
