import { useNavigate } from 'react-router';
import { toClassLabel } from '#contract/class-label.ts';
import { useClasses } from '#web/data/classes.ts';
import { lecturePanelState } from '#web/data/lectures.ts';
import { useMe } from '#web/data/session.ts';
import { createStoredIds } from '#web/data/stored-ids.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { NoticeBar } from '#web/ui/notice-bar.tsx';
import { useStore } from '#web/use-store.ts';

/** The classes of which this browser has said that its member is staff. */
const knownClassIds = createStoredIds('staff-of');

/** Says once that the member has become staff of a class, and shows where to start. */
export function StaffNews() {
  const navigate = useNavigate();
  const knownIds = useStore(knownClassIds);
  const classes = useClasses().data ?? [];
  const roles = useMe().data?.account?.roles ?? [];
  const newClass = classes.find(
    ({ classId }) =>
      !knownIds.includes(classId) &&
      roles.some((role) => role.role === 'staff' && role.classId === classId),
  );
  if (!newClass) return null;
  const { classId } = newClass;
  const dismiss = () => {
    // The pressed button disappears.
    document.getElementById('main')?.focus({ preventScroll: true });
    knownClassIds.add([classId]);
  };
  const dismissText = getText('app.staffNews.dismiss');
  return (
    <NoticeBar text={getText('app.staffNews.text', { className: toClassLabel(newClass) })}>
      <Button
        variant="primary"
        onClick={() => {
          dismiss();
          void navigate(`/home/${classId}`, { state: lecturePanelState });
        }}
      >
        {getText('app.staffNews.firstSteps')}
      </Button>
      <Button variant="plain" aria-label={dismissText} title={dismissText} onClick={dismiss}>
        <Icon name="close" size={18} />
      </Button>
    </NoticeBar>
  );
}
