import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
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
      notify({ text: getText('moderation.lift.suspension.done') });
      onClose();
    },
  });
  return (
    <LiftForm
      title={getText('moderation.lift.suspension.title')}
      text={getText('legal.lift.suspension', { name })}
      lifting={lifting}
      onLift={(reason) => lifting.mutate({ params: { suspensionId }, body: { reason } })}
      onClose={onClose}
    />
  );
}
