import { toClassLabel } from '#contract/class-label.ts';
import type { CallReply } from '#contract/http.ts';
import { JoinDialog } from '#web/features/join-class/join-dialog.tsx';
import { ClassTexts } from '#web/features/class-settings/class-texts.tsx';

interface Props {
  offer: CallReply<'readClass'>;
  onJoined?: () => void;
  onCancel: () => void;
}

/** Offers to join a class, with what its moderators say about it. */
export function JoinOffer({ offer, onJoined, onCancel }: Props) {
  const { description, rules } = offer;
  return (
    <JoinDialog
      offeredClass={offer.class}
      label={toClassLabel(offer.class)}
      onJoined={onJoined}
      onCancel={onCancel}
    >
      {(description || rules) && <ClassTexts description={description} rules={rules} />}
    </JoinDialog>
  );
}
