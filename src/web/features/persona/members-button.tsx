import { useState, type ReactNode } from 'react';
import { IconButton } from '#web/ui/icon-button.tsx';
import type { Persona } from '#contract/entities.ts';
import { errorMessage } from '#web/api.ts';
import { useMembers } from '#web/data/personas.ts';
import { Button } from '#web/ui/button.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { personaLook } from '#web/ui/persona-look.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import styles from './persona.module.css';

/** Header button that lists the personas in the room. */
export function MembersButton({ classId, label }: { classId: string; label: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        icon="people"
        label={`People in ${label}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      {open && <MembersDialog classId={classId} label={label} onClose={() => setOpen(false)} />}
    </>
  );
}

interface Props {
  classId: string;
  label: string;
  onClose: () => void;
}

function MembersDialog({ classId, label, onClose }: Props) {
  return (
    <Modal
      title={`People in ${label}`}
      text="Everyone who has posted, reacted or picked a name. People who only read aren’t listed; people who left still are."
      onDismiss={onClose}
      actions={
        <Button data-first-focus onClick={onClose}>
          Close
        </Button>
      }
    >
      <Members classId={classId} />
    </Modal>
  );
}

function Members({ classId }: { classId: string }): ReactNode {
  const members = useMembers(classId);
  if (members.isPending) {
    return (
      <div className={styles.members}>
        {[96, 72, 120].map((width) => (
          <div key={width} className={styles.member}>
            <Skeleton width={24} height={24} />
            <Skeleton width={width} />
          </div>
        ))}
      </div>
    );
  }
  if (!members.data) {
    return (
      <div className={styles.members} role="alert">
        <p>{errorMessage(members.error)}</p>
        <Button onClick={() => void members.refetch()}>Retry</Button>
      </div>
    );
  }
  const { me, personas } = members.data;
  if (personas.length === 0) return <p>Nobody has, so far.</p>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
    <ul className={styles.members} tabIndex={0} aria-label="People">
      {personas.toSorted(byName).map(({ memberId, anonymousName, icon }) => (
        <li key={memberId} className={styles.member}>
          <PersonaIcon seed={icon} size={24} />
          <bdi className={styles.name} style={{ '--hue': personaLook(icon).hue }}>
            {anonymousName}
          </bdi>
          {memberId === me.memberId && <span className={styles.note}>(you)</span>}
        </li>
      ))}
    </ul>
  );
}

function byName(one: Persona, other: Persona): number {
  return one.anonymousName.localeCompare(other.anonymousName, undefined, { numeric: true });
}
