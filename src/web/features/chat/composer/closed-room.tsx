import { toClassLabel } from '#contract/class-label.ts';
import { formatClassName } from '#web/data/class-details.ts';
import { useClass } from '#web/data/classes.ts';
import { getRichText } from '#web/get-rich-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Link } from '#web/ui/navigation.tsx';
import { Status } from '#web/ui/status.tsx';
import { UnsentDraft } from './unsent-draft.tsx';
import styles from './closed-room.module.css';

interface Props {
  classId: string;
  room: Room;
  /** The id of the message with an unsaved edit. */
  editedId: string | null;
  ended: boolean;
}

/** Replaces the composer: says where an ended class continues, and shows the draft that was not sent. */
export function ClosedRoom({ classId, room, editedId, ended }: Props) {
  return (
    <>
      {ended && <Continuation classId={classId} />}
      <UnsentDraft classId={classId} room={room} editedId={editedId} />
    </>
  );
}

/** The class into which operators merged this one. Both can have the same label. */
function Continuation({ classId }: { classId: string }) {
  const successor = useClass(classId).data?.continuesIn;
  return (
    <Status>
      {successor && (
        <p className={styles.continuation}>
          {getRichText('chat.closed.continuesIn', {
            classLabel: toClassLabel(successor),
            className: formatClassName(successor),
            bdi: <bdi />,
            link: <Link to={`/home/${successor.classId}`} />,
          })}
        </p>
      )}
    </Status>
  );
}
