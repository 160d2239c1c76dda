import { useCommand } from '#web/data/use-call.ts';
import { moderationCalls } from './moderation.ts';
import { useNotify } from '#web/ui/notices.tsx';
import { LiftForm } from './lift-form.tsx';

interface Props {
  suspensionId: string;
  name: string;
  onClose: () => void;
}

export function LiftSuspension({ suspensionId, name, onClose }: Props) {
  const notify = useNotify();
  const lifting = useCommand('liftSuspension', {
    refreshes: moderationCalls,
    onSuccess() {
      notify({ text: 'The suspension was lifted.' });
      onClose();
    },
  });
  return (
    <LiftForm
      title="Lift the suspension?"
      text={`The account behind ${name} can be used again, unless another suspension forbids it.`}
      lifting={lifting}
      onLift={(reason) => lifting.mutate({ params: { suspensionId }, body: { reason } })}
      onClose={onClose}
    />
  );
}
