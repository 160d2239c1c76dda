import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { useLive } from '#web/app/live-provider.tsx';
import { IgnoredDialog } from '#web/features/class-list/ignored-dialog.tsx';
import { ClassFigures } from '#web/features/class-settings/class-figures.tsx';
import { DetailsDialog } from '#web/features/class-settings/details-dialog.tsx';
import { SettingsDialog } from '#web/features/class-settings/settings-dialog.tsx';
import { ReportsDialog } from '#web/features/report/reports-dialog.tsx';
import { ClassTexts } from './class-texts.tsx';

export type ClassDialogKind = 'ignored' | 'reports' | 'details' | 'settings';

interface Props {
  classInfo: Class;
  kind: ClassDialogKind;
  onClose: () => void;
}

/** The dialogs of a class's menu, which load when one opens. */
export function ClassDialog({ classInfo, kind, onClose }: Props) {
  const live = useLive();
  const { classId } = classInfo;
  const dialog = { classId, label: toClassLabel(classInfo), onClose };
  switch (kind) {
    case 'ignored':
      return <IgnoredDialog joinedClass={classInfo} live={live} onClose={onClose} />;
    case 'reports':
      return <ReportsDialog {...dialog} />;
    case 'details':
      return (
        <DetailsDialog
          joinedClass={classInfo}
          label={dialog.label}
          renderTexts={({ description, rules }) => (
            <ClassTexts description={description} rules={rules} />
          )}
          onClose={onClose}
        >
          <ClassFigures classId={classId} />
        </DetailsDialog>
      );
    case 'settings':
      return <SettingsDialog {...dialog} room={live.room(classId)} />;
  }
}
