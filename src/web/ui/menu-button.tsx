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
          // Safari gives a pressed button no focus, and the menu gives it back to who had it.
          currentTarget.focus();
          setAnchor(currentTarget.getBoundingClientRect());
        }}
      />
      {anchor && <Menu label={label} anchor={anchor} items={items} onClose={close} />}
    </>
  );
}
