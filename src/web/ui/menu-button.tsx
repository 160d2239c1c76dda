import { type ComponentProps, type ReactNode, useCallback, useState } from 'react';
import { createPreloadedModule, type LazyModule } from '#web/lazy-module.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import type { IconName } from '#web/ui/icon.tsx';
import type { Anchor, Menu, MenuItem } from '#web/ui/menu.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { keepTextFocus } from '#web/ui/use-input-modality.ts';

const menuCode = createPreloadedModule(() => import('#web/ui/menu.tsx'));

interface OpenerProps<Module> {
  icon?: IconName;
  label: string;
  /** -1 in a group that is one tab stop. */
  tabIndex?: 0 | -1;
  /** The code of the menu. */
  code: LazyModule<Module>;
  children: (module: Module, menu: OpenMenu) => ReactNode;
}

/** What every menu of a button takes. */
export type OpenMenu = Pick<ComponentProps<typeof Menu>, 'label' | 'anchor' | 'onClose'>;

/** A button with a menu under it, whose items load with the menu. */
export function MenuOpener<Module>(props: OpenerProps<Module>) {
  const { icon = 'more', label, tabIndex = 0, code, children } = props;
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
        <OnDemand code={code} onFailure={close}>
          {(module) => children(module, { label, anchor, onClose: close })}
        </OnDemand>
      )}
    </>
  );
}

interface Props extends Omit<OpenerProps<unknown>, 'code' | 'children'> {
  items: readonly MenuItem[];
}

/** A button with a menu under it. */
export function MenuButton({ items, ...props }: Props) {
  return (
    <MenuOpener {...props} code={menuCode}>
      {({ Menu }, menu) => <Menu {...menu} items={items} />}
    </MenuOpener>
  );
}
