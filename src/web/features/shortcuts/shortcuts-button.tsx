// The list of keyboard shortcuts: this button on the profile, and the dialog that `?` opens on every screen
// (`app/keyboard-shortcuts.tsx`). The screens handle the shortcuts, so this list is only text: change both together.
import { useState } from 'react';
import { createPreloadedModule } from '#web/lazy-module.ts';
import { Button } from '#web/ui/button.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';

export const shortcutsDialog = createPreloadedModule(() => import('./shortcuts-dialog.tsx'));

export function ShortcutsButton() {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        Show keyboard shortcuts
      </Button>
      {isOpen && (
        <OnDemand code={shortcutsDialog} onFailure={close}>
          {({ ShortcutsDialog }) => <ShortcutsDialog isModerating={false} onClose={close} />}
        </OnDemand>
      )}
    </>
  );
}
