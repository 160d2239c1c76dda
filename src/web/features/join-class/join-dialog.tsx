import { errors } from '#contract/errors.ts';
import { useJoinClass } from '#web/data/classes.ts';
import { Button } from '#web/ui/button.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { Modal } from '#web/ui/modal.tsx';

interface Props {
  classId: string;
  label: string;
  /** The class has ended: members can join it to read it. */
  ended: boolean;
  onCancel: () => void;
}

/** Joins the class. On success the room replaces this dialog. */
export function JoinDialog({ classId, label, ended, onCancel }: Props) {
  const { alert } = useDialogs();
  const join = useJoinClass();
  const submit = () => {
    if (join.isPending) return;
    join.mutate(classId, {
      onError: (error) => {
        console.error('Joining the class failed.', error);
        void alert('Unable to join class. Please try again.');
      },
    });
  };
  return (
    <Modal
      title="Join Class"
      text={`Would you like to join ${label}?`}
      onDismiss={onCancel}
      actions={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          <Button
            variant="primary"
            data-first-focus
            aria-disabled={join.isPending}
            onClick={submit}
          >
            {join.isPending ? 'Joining…' : 'Join'}
          </Button>
        </>
      }
    >
      {ended && <p>{errors.CLASS_ENDED.message}</p>}
    </Modal>
  );
}
