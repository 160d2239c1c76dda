import { type ReactNode, useState } from 'react';
import type { Class } from '#contract/entities.ts';
import { useMayModerate } from '#web/data/session.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import type { MenuItem } from '#web/ui/menu.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import type { ClassDialogKind } from './class-dialog.tsx';

const classDialog = createLazyModule(() => import('./class-dialog.tsx'));

/** The items of a class's menu that open dialogs, and the open dialog. */
export function useClassOptions(): {
  listOptions: (classInfo: Class) => MenuItem[];
  dialog: ReactNode;
} {
  const mayModerate = useMayModerate();
  const [open, setOpen] = useState<{ classInfo: Class; kind: ClassDialogKind } | null>(null);
  const close = () => setOpen(null);
  return {
    listOptions(classInfo) {
      const show = (kind: ClassDialogKind) => () => setOpen({ classInfo, kind });
      const settings: MenuItem = {
        icon: 'edit',
        label: 'Class Settings',
        action: show('settings'),
      };
      return [
        { icon: 'eyeOff', label: 'Ignored and Hidden', action: show('ignored') },
        { icon: 'flag', label: 'Your Reports', action: show('reports') },
        { icon: 'text', label: 'Class Details', action: show('details') },
        ...(mayModerate(classInfo.classId) && !classInfo.ended ? [settings] : []),
      ];
    },
    dialog: open && (
      <OnDemand code={classDialog} onFailure={close}>
        {({ ClassDialog }) => <ClassDialog {...open} onClose={close} />}
      </OnDemand>
    ),
  };
}
