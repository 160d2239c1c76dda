import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { useLive } from '#web/app/live-provider.tsx';
import { IgnoredDialog } from '#web/features/class-list/ignored-dialog.tsx';
import { SettingsDialog } from '#web/features/class-settings/settings-dialog.tsx';
import { ReportsDialog } from '#web/features/report/reports-dialog.tsx';
import { TopicsDialog } from '#web/features/topics/topics-dialog.tsx';

export type ClassDialogKind = 'ignored' | 'reports' | 'settings' | 'topics';

interface Props {
  classInfo: Class;
  kind: ClassDialogKind;
  onClose: () => void;
}

/** The dialogs that the panel of a class opens. */
export function ClassDialog({ classInfo, kind, onClose }: Props) {
  const live = useLive();
  const { classId } = classInfo;
  const dialog = { classId, label: toClassLabel(classInfo), onClose };
  switch (kind) {
    case 'ignored':
      return <IgnoredDialog joinedClass={classInfo} live={live} onClose={onClose} />;
    case 'reports':
      return <ReportsDialog {...dialog} />;
    case 'topics':
      return <TopicsDialog classId={classId} room={live.room(classId)} onClose={onClose} />;
    case 'settings':
      return <SettingsDialog {...dialog} room={live.room(classId)} />;
  }
}
