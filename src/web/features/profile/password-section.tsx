import { useState } from 'react';
import { getText } from '#web/get-text.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { hasPasswordLength } from '#contract/limits.ts';
import { useCommand } from '#web/data/use-call.ts';
import { Button } from '#web/ui/button.tsx';
import { useForm } from '#web/ui/form.tsx';
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

function PasswordDialog({ email, onClose }: { email: string; onClose: () => void }) {
  const notify = useNotify();
  const command = useCommand('changePassword', {
    refreshes: ['listDevices'],
    onSuccess: () => {
      notify({ text: 'Your password is changed. You are signed out on all other devices.' });
      onClose();
    },
  });
  const form = useForm({
    fields: { currentPassword: '', newPassword: '' },
    command,
    findProblems: ({ currentPassword, newPassword }) => ({
      currentPassword: currentPassword ? null : 'Please enter your password.',
      newPassword: hasPasswordLength(newPassword) ? null : getText('error.PASSWORD_LENGTH'),
    }),
    findWrongField,
    onSubmit: (body) => command.mutate({ body }),
  });
  return (
    <FormDialog
      title="Change password"
      text="You will be signed out on all other devices."
      submitLabel="Set new password"
      pendingLabel="Saving…"
      form={form}
      onCancel={onClose}
    >
      {/* Tells a password manager which account this is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        kind="current"
        label="Current password"
        data-first-focus
        {...form.bind('currentPassword')}
      />
      <PasswordField kind="new" label="New password" {...form.bind('newPassword')} />
    </FormDialog>
  );
}

function findWrongField(error: Error) {
  if (!(error instanceof RejectedError)) return null;
  if (error.code === 'WRONG_PASSWORD') return 'currentPassword';
  return error.code.startsWith('PASSWORD_') ? 'newPassword' : null;
}
