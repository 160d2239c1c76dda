import { useId, useState } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import { publishSessionChange, reloadSignedOut, useMe } from '#web/data/session.ts';
import { SignInAgain } from '#web/data/sign-in-again.tsx';
import { useCommand } from '#web/data/use-call.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { FieldProblem, toControlProps } from '#web/ui/form-field.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { ProfileSection } from './profile-section.tsx';
import styles from './profile-screen.module.css';

export function DeletionSection({ clearUnsent }: { clearUnsent: () => Promise<void> }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <ProfileSection
      title="Delete account"
      lead="You cannot undo this. Your messages can stay under your anonymous names, or be deleted too. In classes that ended so long ago that nobody can tell which are yours, they stay."
    >
      <Button onClick={() => setIsOpen(true)}>Delete account</Button>
      {isOpen && <DeletionDialog clearUnsent={clearUnsent} onCancel={() => setIsOpen(false)} />}
    </ProfileSection>
  );
}

const choices = [
  ['keep', 'Keep my messages under my anonymous names'],
  ['delete', 'Delete my messages and reactions in every class'],
] as const;

interface Props {
  clearUnsent: () => Promise<void>;
  onCancel: () => void;
}

function DeletionDialog({ clearUnsent, onCancel }: Props) {
  const choicesId = useId();
  const isStaff = useMe().data?.account?.roles.some(({ role }) => role === 'staff');
  const deletion = useCommand('deleteAccount', {
    onSuccess: () => {
      publishSessionChange('signed-out');
      void reloadSignedOut(clearUnsent, '/signin?account-deleted');
    },
  });
  const form = useForm({
    fields: { messages: null as 'keep' | 'delete' | null, password: '' },
    command: deletion,
    findProblems: ({ messages, password }) => ({
      messages: messages ? null : 'Please choose what happens to your messages.',
      password: password || site.signOnLabel ? null : 'Please enter your password.',
    }),
    findWrongField: (error) =>
      error instanceof RejectedError && error.code === 'WRONG_PASSWORD' ? 'password' : null,
    onSubmit: ({ messages, password }) =>
      messages && deletion.mutate({ body: { password, messages } }),
  });
  return (
    <FormDialog
      title="Delete account"
      text="You cannot undo this. You are signed out everywhere, you leave your classes, and we delete your email address. In each class, your classmates see the change at a random time within the next 24 hours, so that no one can tell which names were yours. Existing backups are not changed."
      variant="danger"
      submitLabel="Delete account"
      pendingLabel="Deleting…"
      form={form}
      onCancel={onCancel}
    >
      <fieldset
        {...toControlProps(choicesId, { problem: form.problems.messages })}
        className="stack-xs"
        role="radiogroup"
      >
        <legend>Your messages</legend>
        {choices.map(([value, label], n) => (
          <label key={value} className={styles.choice}>
            <input
              type="radio"
              name="messages"
              value={value}
              required
              data-first-focus={n === 0 || undefined}
              checked={form.fields.messages === value}
              onChange={() => form.change({ messages: value })}
            />
            {label}
          </label>
        ))}
        <FieldProblem id={choicesId}>{form.problems.messages}</FieldProblem>
      </fieldset>
      {isStaff && <p>What you said as staff stays in its class, under your staff name.</p>}
      {site.hasPasswords && <PasswordField kind="current" {...form.bind('password')} />}
      {site.signOnLabel && <SignInAgain />}
    </FormDialog>
  );
}
