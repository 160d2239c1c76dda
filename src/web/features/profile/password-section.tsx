import { useState } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import { hasPasswordLength } from '#contract/limits.ts';
import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { ProfileSection } from './profile-section.tsx';

export function PasswordSection({ email }: { email: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <ProfileSection
      title={getText('profile.password.title')}
      lead={getText('profile.password.lead')}
    >
      <Button onClick={() => setIsOpen(true)}>{getText('profile.password.change')}</Button>
      {isOpen && <PasswordDialog email={email} onClose={() => setIsOpen(false)} />}
    </ProfileSection>
  );
}

function PasswordDialog({ email, onClose }: { email: string; onClose: () => void }) {
  const notify = useNotify();
  const command = useCommand('changePassword', {
    refreshes: ['listDevices'],
    onSuccess: () => {
      notify({ text: getText('profile.password.done') });
      onClose();
    },
  });
  const form = useForm({
    fields: { currentPassword: '', newPassword: '' },
    command,
    findProblems: ({ currentPassword, newPassword }) => ({
      currentPassword: currentPassword ? null : getText('profile.password.missing'),
      newPassword: hasPasswordLength(newPassword) ? null : getText('error.PASSWORD_LENGTH'),
    }),
    findWrongField,
    onSubmit: (body) => command.mutate({ body }),
  });
  return (
    <FormDialog
      title={getText('profile.password.change')}
      text={getText('profile.password.confirm')}
      submitLabel={getText('profile.password.submit')}
      pendingLabel={getText('common.saving')}
      form={form}
      onCancel={onClose}
    >
      {/* Tells a password manager which account this is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        kind="current"
        label={getText('profile.password.current')}
        data-first-focus
        {...form.bind('currentPassword')}
      />
      <PasswordField
        kind="new"
        label={getText('profile.password.new')}
        {...form.bind('newPassword')}
      />
    </FormDialog>
  );
}

function findWrongField(error: Error) {
  if (!(error instanceof RejectedError)) return null;
  if (error.code === 'WRONG_PASSWORD') return 'currentPassword';
  return error.code.startsWith('PASSWORD_') ? 'newPassword' : null;
}
