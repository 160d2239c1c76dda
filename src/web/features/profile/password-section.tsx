import { useState, type SubmitEvent, useCallback, useId, useRef } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '#web/ui/button.tsx';
import { errors, AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { hasPasswordLength } from '#contract/password-length.ts';
import { call, errorMessage } from '#web/api.ts';
import { Callout } from '#web/ui/callout.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { ProfileSection } from './profile-section.tsx';
import styles from './profile-screen.module.css';

export function PasswordSection({ email }: { email: string }) {
  const [open, setOpen] = useState(false);
  return (
    <ProfileSection title="Password" lead="Changing it signs you out on all other devices.">
      <Button onClick={() => setOpen(true)}>Change Password</Button>
      {open && <PasswordDialog email={email} onDone={() => setOpen(false)} />}
    </ProfileSection>
  );
}

type Field = 'current' | 'new';

function PasswordDialog({ email, onDone }: { email: string; onDone: () => void }) {
  const form = useId();
  const client = useQueryClient();
  const notify = useNotify();
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [wrongField, setWrongField] = useState<Field | null>(null);
  const currentField = useRef<HTMLInputElement>(null);
  const newField = useRef<HTMLInputElement>(null);
  const refuse = (sentence: string, field: Field | null) => {
    setError(sentence);
    setWrongField(field);
    if (field) (field === 'current' ? currentField : newField).current?.focus();
  };
  const change = useMutation({
    mutationFn: () => call('changePassword', { body: { currentPassword, newPassword } }),
    onSuccess: () => {
      notify({ text: 'Your password has been changed. You’re signed out on all other devices.' });
      void client.invalidateQueries({ queryKey: ['devices'] });
      onDone();
    },
    onError: (failed) => refuse(errorMessage(failed), fieldOf(failed)),
  });
  const { isPending } = change;
  const dismiss = useCallback(() => {
    if (!isPending) onDone();
  }, [isPending, onDone]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isPending) return;
    setError(null);
    setWrongField(null);
    if (!currentPassword) return refuse('Please enter your password.', 'current');
    if (!hasPasswordLength(newPassword)) return refuse(errors.PASSWORD_LENGTH.message, 'new');
    change.mutate();
  };
  return (
    <Modal
      title="Change Password"
      text="You’ll be signed out everywhere except here."
      onDismiss={dismiss}
      actions={
        <>
          <Button onClick={dismiss}>Cancel</Button>
          <Button variant="primary" type="submit" form={form} aria-disabled={isPending}>
            {isPending ? 'Saving…' : 'Set New Password'}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit} noValidate>
        {/* Tells a password manager which account this is. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          ref={currentField}
          label="Current password"
          name="current-password"
          autoComplete="current-password"
          required
          data-first-focus
          aria-invalid={wrongField === 'current'}
          maxLength={1000}
          value={currentPassword}
          onChange={(event) => setCurrentPassword(event.target.value)}
        />
        <PasswordField
          ref={newField}
          label="New password"
          hint={`At least ${limits.passwordMin} characters.`}
          name="new-password"
          autoComplete="new-password"
          required
          aria-invalid={wrongField === 'new'}
          value={newPassword}
          onChange={(event) => setNewPassword(event.target.value)}
        />
        <Callout kind="error">{error}</Callout>
      </form>
    </Modal>
  );
}

function fieldOf(error: unknown): Field | null {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'WRONG_PASSWORD') return 'current';
  return error.code.startsWith('PASSWORD_') ? 'new' : null;
}
