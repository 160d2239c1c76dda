import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useCallback, useId, useRef, useState } from 'react';
import { Refusal } from '#contract/errors.ts';
import { call, sentenceOf } from '#web/api.ts';
import { leaveSignedOut, tellOtherTabs } from '#web/data/session.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import styles from './profile-screen.module.css';

const choices = [
  ['keep', 'Keep my messages, under the names that I had in my classes'],
  ['delete', 'Delete my messages and reactions in every class'],
] as const;

interface Props {
  forgetUnsent: () => Promise<void>;
  onCancel: () => void;
}

export function DeletionDialog({ forgetUnsent, onCancel }: Props) {
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
      tellOtherTabs('signed-out');
      void leaveSignedOut(forgetUnsent, '/signin?account-deleted');
    },
    onError: (failed) => {
      setError(sentenceOf(failed));
      if (failed instanceof Refusal && failed.code === 'WRONG_PASSWORD') {
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
      text="This cannot be undone: it signs you out everywhere, takes you out of your classes and deletes your email address here. Your classmates see the change in each class at a random time within the next 24 hours, so that nobody can tell which names were yours. Backups that were made before keep what they hold."
      onDismiss={dismiss}
      actions={
        <>
          <Button onClick={dismiss}>Cancel</Button>
          <Button look="danger" type="submit" form={form} aria-disabled={isPending}>
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
