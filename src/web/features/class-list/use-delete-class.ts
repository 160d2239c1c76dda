import { useNavigate } from 'react-router';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { useLeaveClass } from '#web/data/classes.ts';
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
    const question = `Leave ${label}? Your messages stay, under your anonymous name.`;
    if (!(await confirm(question, { label: 'Leave', danger: true }))) return;
    try {
      // Pending deletions finish first, because after leaving the member can no longer delete messages.
      const isFinished = await live.finishDeletions(classId);
      if (!isFinished) throw new Error('A deletion has not reached the server.');
      await leave.mutateAsync(classId);
    } catch (error) {
      console.error('Failed to remove user from class. Please try again.', error);
      await alert('Failed to remove from class. Please try again.');
      return;
    }
    void navigate('/home');
    notify({ text: `You left ${label}.` });
  };
  return (classInfo) => void askAndLeave(classInfo);
}
