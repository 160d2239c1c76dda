import { useNavigate } from 'react-router';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { useLeaveClass } from '#web/data/classes.ts';
import { getText } from '#web/get-text.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import type { LiveClient } from '#web/sync/room/room.ts';
import { useNotify } from '#web/ui/notices.tsx';

/** 'Delete Class' removes the member from a class after a question. The class itself stays. */
export function useDeleteClass(live: LiveClient): (classInfo: Class) => void {
  const navigate = useNavigate();
  const { alert, confirm } = useDialogs();
  const notify = useNotify();
  const leave = useLeaveClass();
  const askAndLeave = async (classInfo: Class) => {
    const { classId } = classInfo;
    const label = toClassLabel(classInfo);
    const question = getText('classList.leave.confirm', { className: label });
    if (!(await confirm(question, { label: getText('classList.leave'), danger: true }))) return;
    try {
      // Pending deletions finish first, because after leaving the member can no longer delete messages.
      const isFinished = await live.finishDeletions(classId);
      if (!isFinished) throw new Error('A deletion has not reached the server.');
      await leave.mutateAsync(classId);
    } catch (error) {
      console.error('Failed to remove user from class. Please try again.', error);
      await alert(getText('classList.leave.failed'));
      return;
    }
    // The person may have gone on to another page.
    if (location.pathname.startsWith('/home')) void navigate('/home');
    notify({ text: getText('classList.leave.done', { className: label }) });
  };
  return (classInfo) => void askAndLeave(classInfo);
}
