import { useCallback, useState } from 'react';
import { IconButton } from '#web/ui/icon-button.tsx';
import { type Anchor, Menu, type MenuItem } from '#web/ui/menu.tsx';

/** A button with a menu under it. */
export function MenuButton({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const close = useCallback(() => setAnchor(null), []);
  return (
    <>
      <IconButton
        icon="more"
        label={label}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={({ currentTarget }) => {
          // Safari does not focus a pressed button, and the menu returns the focus to the focused element.
          currentTarget.focus();
          setAnchor(currentTarget.getBoundingClientRect());
        }}
      />
      {anchor && <Menu label={label} anchor={anchor} items={items} onClose={close} />}
    </>
  );
}
