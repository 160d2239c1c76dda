import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { DeletionDialog } from './deletion-dialog.tsx';
import { ProfileSection } from './profile-section.tsx';

export function DeletionSection({ forgetUnsent }: { forgetUnsent: () => Promise<void> }) {
  const [open, setOpen] = useState(false);
  return (
    <ProfileSection
      title="Delete account"
      lead="For good. You choose whether your messages stay, under the names that you had, or go with it."
    >
      <Button onClick={() => setOpen(true)}>Delete Account</Button>
      {open && <DeletionDialog forgetUnsent={forgetUnsent} onCancel={() => setOpen(false)} />}
    </ProfileSection>
  );
}
