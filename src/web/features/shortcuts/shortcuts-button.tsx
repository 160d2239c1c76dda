// The button on the profile that opens the dialog of keyboard shortcuts. The key `?` opens the same dialog on every screen
// (`app/keyboard-shortcuts.tsx`). The dialog only lists shortcuts that the screens handle, so a change of a shortcut also
// changes the text of the dialog.
import { useState } from 'react';
import { getText } from '#web/get-text.ts';
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
        {getText('shortcuts.show')}
      </Button>
      {isOpen && (
        <OnDemand code={shortcutsDialog} onFailure={close}>
          {({ ShortcutsDialog }) => <ShortcutsDialog isModerating={false} onClose={close} />}
        </OnDemand>
      )}
    </>
  );
}
