import { useId, useState } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import { publishSessionChange, reloadSignedOut, useMe } from '#web/data/session.ts';
import { SignInAgain } from '#web/data/sign-in-again.tsx';
import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
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
      title={getText('profile.deletion.title')}
      lead={getText('profile.deletion.lead')}
    >
      <Button onClick={() => setIsOpen(true)}>{getText('profile.deletion.submit')}</Button>
      {isOpen && <DeletionDialog clearUnsent={clearUnsent} onCancel={() => setIsOpen(false)} />}
    </ProfileSection>
  );
}

const choices = [
  ['keep', getText('profile.deletion.keepMessages')],
  ['delete', getText('profile.deletion.deleteMessages')],
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
      messages: messages ? null : getText('profile.deletion.noChoice'),
      password: password || site.signOnLabel ? null : getText('profile.password.missing'),
    }),
    findWrongField: (error) =>
      error instanceof RejectedError && error.code === 'WRONG_PASSWORD' ? 'password' : null,
    onSubmit: ({ messages, password }) =>
      messages && deletion.mutate({ body: { password, messages } }),
  });
  return (
    <FormDialog
      title={getText('profile.deletion.title')}
      text={getText('profile.deletion.confirm')}
      variant="danger"
      submitLabel={getText('profile.deletion.submit')}
      pendingLabel={getText('profile.deletion.pending')}
      form={form}
      onCancel={onCancel}
    >
      <fieldset
        {...toControlProps(choicesId, { problem: form.problems.messages })}
        className="stack-xs"
        role="radiogroup"
      >
        <legend>{getText('profile.deletion.messages')}</legend>
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
      {isStaff && <p>{getText('profile.deletion.staff')}</p>}
      {site.hasPasswords && <PasswordField kind="current" {...form.bind('password')} />}
      {site.signOnLabel && <SignInAgain />}
    </FormDialog>
  );
}
