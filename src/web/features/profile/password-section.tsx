import { useState } from 'react';
import { browserErrors } from '#contract/browser-errors.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { hasPasswordLength } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { useCommand } from '#web/data/use-call.ts';
import { Button } from '#web/ui/button.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { ProfileSection } from './profile-section.tsx';

export function PasswordSection({ email }: { email: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <ProfileSection title="Password" lead="A new password signs you out on all other devices.">
      <Button onClick={() => setIsOpen(true)}>Change password</Button>
      {isOpen && <PasswordDialog email={email} onClose={() => setIsOpen(false)} />}
    </ProfileSection>
  );
}

type Field = 'current' | 'new';

function PasswordDialog({ email, onClose }: { email: string; onClose: () => void }) {
  const notify = useNotify();
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [problems, setProblems] = useState<Partial<Record<Field, string>>>({});
  const change = useCommand('changePassword', {
    refreshes: ['listDevices'],
    onSuccess: () => {
      notify({ text: 'Your password is changed. You are signed out on all other devices.' });
      onClose();
    },
    onError(failure) {
      const wrongField = findField(failure);
      if (wrongField) setProblems({ [wrongField]: toErrorMessage(failure) });
      else setError(toErrorMessage(failure));
    },
  });
  const submit = () => {
    const hasNewLength = hasPasswordLength(newPassword);
    setError(null);
    setProblems({
      ...(!currentPassword && { current: 'Please enter your password.' }),
      ...(!hasNewLength && { new: browserErrors.PASSWORD_LENGTH.message }),
    });
    if (currentPassword && hasNewLength) change.mutate({ body: { currentPassword, newPassword } });
  };
  return (
    <FormDialog
      title="Change password"
      text="You will be signed out on all other devices."
      variant="primary"
      submitLabel={change.isPending ? 'Saving…' : 'Set new password'}
      isPending={change.isPending}
      error={error}
      onSubmit={submit}
      onCancel={onClose}
    >
      {/* Tells a password manager which account this is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        kind="current"
        label="Current password"
        data-first-focus
        problem={problems.current}
        value={currentPassword}
        onChange={setCurrentPassword}
      />
      <PasswordField
        kind="new"
        label="New password"
        problem={problems.new}
        value={newPassword}
        onChange={setNewPassword}
      />
    </FormDialog>
  );
}

function findField(error: unknown): Field | null {
  if (!(error instanceof RejectedError)) return null;
  if (error.code === 'WRONG_PASSWORD') return 'current';
  return error.code.startsWith('PASSWORD_') ? 'new' : null;
}
