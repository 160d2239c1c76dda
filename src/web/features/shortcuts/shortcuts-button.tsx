// The list of keyboard shortcuts: this button on the profile, and the dialog that `?` opens on every screen
// (`app/keyboard-shortcuts.tsx`). Each shortcut is handled where it acts, so the list here is only text and has to
// be kept in step.
import { useState } from 'react';
import { createPreloadedModule } from '#web/lazy-module.ts';
import { Button } from '#web/ui/button.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';

export const shortcutsDialog = createPreloadedModule(() => import('./shortcuts-dialog.tsx'));

export function ShortcutsButton() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Show keyboard shortcuts
      </Button>
      {open && (
        <OnDemand code={shortcutsDialog} onFailure={close}>
          {({ ShortcutsDialog }) => <ShortcutsDialog isModerating={false} onClose={close} />}
        </OnDemand>
      )}
    </>
  );
}
