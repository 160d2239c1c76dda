import { useCallback, useState } from 'react';
import { createPreloadedModule } from '#web/lazy-module.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import type { IconName } from '#web/ui/icon.tsx';
import type { Anchor, MenuItem } from '#web/ui/menu.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { keepTextFocus } from '#web/ui/use-input-modality.ts';

const menu = createPreloadedModule(() => import('#web/ui/menu.tsx'));

interface Props {
  icon?: IconName;
  label: string;
  items: readonly MenuItem[];
  /** -1 in a group that is one tab stop. */
  tabIndex?: 0 | -1;
}

/** A button with a menu under it. */
export function MenuButton({ icon = 'more', label, items, tabIndex = 0 }: Props) {
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const close = useCallback(() => setAnchor(null), []);
  return (
    <>
      <IconButton
        icon={icon}
        label={label}
        tabIndex={tabIndex}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onMouseDown={keepTextFocus}
        onClick={({ currentTarget, detail }) => {
          // Safari does not focus a pressed button, and the menu returns the focus to the focused element.
          if (detail === 0 || document.activeElement === document.body) currentTarget.focus();
          setAnchor(currentTarget.getBoundingClientRect());
        }}
      />
      {anchor && (
        <OnDemand code={menu} onFailure={close}>
          {({ Menu }) => <Menu label={label} anchor={anchor} items={items} onClose={close} />}
        </OnDemand>
      )}
    </>
  );
}
