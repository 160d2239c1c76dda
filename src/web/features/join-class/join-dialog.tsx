// Joins a class, from a search result or from its link. The dialog shows section and times, because several
// classes can have the same label, and says before the join whether operators can unmask members.
import type { ReactNode } from 'react';
import type { Class } from '#contract/entities.ts';
import {
  formatClassName,
  formatDays,
  formatMemberCount,
  formatTimes,
} from '#web/data/class-details.ts';
import { toClassErrorText, useJoinClass } from '#web/data/classes.ts';
import { toUnmaskingNotice } from '#web/data/transparency.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { Modal } from '#web/ui/modal.tsx';

interface Props {
  offeredClass: Class;
  label: string;
  /** Shown under the details. */
  children: ReactNode;
  onJoined?: (() => void) | undefined;
  onCancel: () => void;
}

/** Which of several classes with the same label this is. */
function listDetails(offeredClass: Class): string[] {
  const section =
    offeredClass.sectionNumber &&
    getText('joinClass.section', { section: offeredClass.sectionNumber.toUpperCase() });
  const schedule = [formatDays(offeredClass), formatTimes(offeredClass)];
  return [[section, formatMemberCount(offeredClass)], schedule].map((line) =>
    line.filter(Boolean).join(' · '),
  );
}

/** Asks whether to join the class, and joins it. The caller shows the room afterwards. */
export function JoinDialog({ offeredClass, label, children, onJoined, onCancel }: Props) {
  const { alert } = useDialogs();
  const join = useJoinClass();
  const submit = () =>
    join.mutate(offeredClass.classId, {
      onSuccess: onJoined,
      onError: (error) => {
        console.error('Joining the class failed.', error);
        void alert(toClassErrorText(error, getText('joinClass.failed')));
      },
    });
  return (
    <Modal
      title={getText('joinClass.title')}
      text={getText('joinClass.confirm', { className: label })}
      onDismiss={onCancel}
      actions={
        <>
          <Button onClick={onCancel}>{getText('common.cancel')}</Button>
          <Button
            variant="primary"
            data-first-focus
            aria-disabled={join.isPending}
            onClick={submit}
          >
            {join.isPending ? getText('joinClass.joining') : getText('joinClass.join')}
          </Button>
        </>
      }
    >
      <div>
        <div className="medium">
          <bdi>{formatClassName(offeredClass)}</bdi>
        </div>
        {listDetails(offeredClass).map((line) => (
          <div key={line} className="meta">
            {line}
          </div>
        ))}
      </div>
      {children}
      {site.unmaskingSince && <p>{toUnmaskingNotice(site.unmaskingSince)}</p>}
      {/* Members can join a class that has ended, to read it. */}
      {offeredClass.ended && <p>{getText('error.CLASS_ENDED')}</p>}
    </Modal>
  );
}
