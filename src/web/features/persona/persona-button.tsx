import { useState, useSyncExternalStore } from 'react';
import type { Room } from '#web/sync/room.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaDialog } from './persona-dialog.tsx';
import styles from './persona.module.css';

interface Props {
  classId: string;
  label: string;
  room: Room;
}

/** Header button that shows and edits the viewer's persona in this room. */
export function PersonaButton({ classId, label, room }: Props) {
  const { me: id, personas } = useSyncExternalStore(room.subscribe, room.getSnapshot);
  const [open, setOpen] = useState(false);
  const me = id === null ? undefined : personas.get(id);
  if (!me) return null;
  const worn = [...personas.values()].filter((one) => one !== me).map(({ icon }) => icon);
  return (
    <>
      <button
        type="button"
        className={styles.button}
        aria-haspopup="dialog"
        aria-label={`You are ${me.anonymousName}: change your name and icon`}
        title="Change your name and icon"
        onClick={() => setOpen(true)}
      >
        <PersonaIcon seed={me.icon} size={24} />
        <bdi className={styles.mine}>{me.anonymousName}</bdi>
      </button>
      {open && (
        <PersonaDialog
          classId={classId}
          label={label}
          me={me}
          worn={worn}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
