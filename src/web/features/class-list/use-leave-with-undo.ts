import { useNavigate } from 'react-router';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { toClassErrorText, useJoinClass, useLeaveClass } from '#web/data/classes.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import type { LiveClient } from '#web/sync/room/room.ts';
import { useNotify } from '#web/ui/notices.tsx';

/** Leaves a class and navigates to /home. The notice offers an undo. */
export function useLeaveWithUndo(live: LiveClient): (classInfo: Class) => void {
  const navigate = useNavigate();
  const { alert } = useDialogs();
  const notify = useNotify();
  const leave = useLeaveClass();
  const join = useJoinClass();
  const rejoin = async ({ classId }: Class) => {
    try {
      await join.mutateAsync(classId);
      await navigate(`/home/${classId}`);
    } catch (error) {
      console.error('Joining the class failed.', error);
      await alert(toClassErrorText(error, 'Unable to join class. Please try again.'));
    }
  };
  const leaveAndOfferUndo = async (classInfo: Class) => {
    try {
      // Pending deletions finish first, because after leaving the member can no longer delete messages.
      const isFinished = await live.finishDeletions(classInfo.classId);
      if (!isFinished) throw new Error('A deletion has not reached the server.');
      await leave.mutateAsync(classInfo.classId);
    } catch (error) {
      console.error('Failed to remove user from class. Please try again.', error);
      await alert('Failed to remove from class. Please try again.');
      return;
    }
    void navigate('/home');
    notify({
      text: `You left ${toClassLabel(classInfo)}.`,
      action: { label: 'Undo', run: () => void rejoin(classInfo) },
    });
  };
  return (classInfo) => void leaveAndOfferUndo(classInfo);
}
