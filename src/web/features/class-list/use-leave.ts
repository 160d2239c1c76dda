import { useNavigate } from 'react-router';
import { classLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { useJoinClass, useLeaveClass } from '#web/data/classes.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';

/** Leaves a class and navigates to /home. The notice offers an undo. */
export function useLeave(): (of: Class) => void {
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
      await alert('Unable to join class. Please try again.');
    }
  };
  return (of) => {
    leave.mutateAsync(of.classId).then(
      () => {
        void navigate('/home');
        notify({
          text: `You left ${classLabel(of)}.`,
          action: { label: 'Undo', act: () => void rejoin(of) },
        });
      },
      (error: unknown) => {
        console.error('Failed to remove user from class. Please try again.', error);
        void alert('Failed to remove from class. Please try again.');
      },
    );
  };
}
