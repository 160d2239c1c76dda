import { useState } from 'react';
import { IconButton } from '#web/ui/icon-button.tsx';
import { MembersDialog } from './members-dialog.tsx';

/** In a room's header: who has appeared there. */
export function MembersButton({ classId, label }: { classId: string; label: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        icon="people"
        label={`People in ${label}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      {open && <MembersDialog classId={classId} label={label} onClose={() => setOpen(false)} />}
    </>
  );
}
