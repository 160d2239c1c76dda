import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { ProfileSection } from './profile-section.tsx';

export function PasswordSection({ email }: { email: string }) {
  const [open, setOpen] = useState(false);
  return (
    <ProfileSection title="Password" lead="A new one signs out every other device.">
      <Button onClick={() => setOpen(true)}>Change Password</Button>
      {open && <PasswordDialog email={email} onDone={() => setOpen(false)} />}
    </ProfileSection>
  );
}
