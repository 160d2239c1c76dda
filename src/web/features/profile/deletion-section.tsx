import { useState, type SubmitEvent, useCallback, useId, useRef } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Button } from '#web/ui/button.tsx';
import { AppError } from '#contract/errors.ts';
import { call, errorMessage } from '#web/api.ts';
import { leaveSignedOut, broadcastSession } from '#web/data/session.ts';
import { Callout } from '#web/ui/callout.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { ProfileSection } from './profile-section.tsx';
import styles from './profile-screen.module.css';

export function DeletionSection({ forgetUnsent }: { forgetUnsent: () => Promise<void> }) {
  const [open, setOpen] = useState(false);
  return (
    <ProfileSection
      title="Delete account"
      lead="Permanent. You choose whether your messages stay under your anonymous names or are deleted too."
    >
      <Button onClick={() => setOpen(true)}>Delete Account</Button>
      {open && <DeletionDialog forgetUnsent={forgetUnsent} onCancel={() => setOpen(false)} />}
    </ProfileSection>
  );
}

const choices = [
  ['keep', 'Keep my messages, under my anonymous names'],
  ['delete', 'Delete my messages and reactions in every class'],
] as const;

interface Props {
  forgetUnsent: () => Promise<void>;
  onCancel: () => void;
}

function DeletionDialog({ forgetUnsent, onCancel }: Props) {
  const form = useId();
  const [messages, setMessages] = useState<'keep' | 'delete' | null>(null);
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const firstChoice = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const deletion = useMutation({
    mutationFn: (chosen: 'keep' | 'delete') =>
      call('deleteAccount', { body: { password, messages: chosen } }),
    onSuccess: () => {
      broadcastSession('signed-out');
      void leaveSignedOut(forgetUnsent, '/signin?account-deleted');
    },
    onError: (failed) => {
      setError(errorMessage(failed));
      if (failed instanceof AppError && failed.code === 'WRONG_PASSWORD') {
        passwordField.current?.focus();
      }
    },
  });
  const { isPending } = deletion;
  const dismiss = useCallback(() => {
    if (!isPending) onCancel();
  }, [isPending, onCancel]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isPending) return;
    setError(null);
    if (!messages) {
      setError('Please choose what happens to your messages.');
      firstChoice.current?.focus();
    } else if (!password) {
      setError('Please enter your password.');
      passwordField.current?.focus();
    } else {
      deletion.mutate(messages);
    }
  };
  return (
    <Modal
      title="Delete Account"
      text="This cannot be undone. It signs you out everywhere, removes you from your classes and deletes your email address. Your classmates see the change in each class at a random time within the next 24 hours, so that no one can tell which names were yours. Existing backups are not affected."
      onDismiss={dismiss}
      actions={
        <>
          <Button onClick={dismiss}>Cancel</Button>
          <Button variant="danger" type="submit" form={form} aria-disabled={isPending}>
            {isPending ? 'Deleting…' : 'Delete Account'}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit} noValidate>
        <fieldset className={styles.choices}>
          <legend className={styles.legend}>Your messages</legend>
          {choices.map(([value, label], n) => (
            <label key={value} className={styles.choice}>
              <input
                ref={n === 0 ? firstChoice : undefined}
                type="radio"
                name="messages"
                value={value}
                required
                data-first-focus={n === 0 || undefined}
                checked={messages === value}
                onChange={() => setMessages(value)}
              />
              {label}
            </label>
          ))}
        </fieldset>
        <PasswordField
          ref={passwordField}
          label="Password"
          name="current-password"
          autoComplete="current-password"
          required
          maxLength={1000}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Callout kind="error">{error}</Callout>
      </form>
    </Modal>
  );
}
