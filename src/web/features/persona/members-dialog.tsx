import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useSyncExternalStore } from 'react';
import type { Persona } from '#contract/entities.ts';
import { compareText } from '#contract/text-order.ts';
import { listMembers } from '#web/data/members.ts';
import { choosePreference } from '#web/data/preferences.ts';
import { isOwnPersona, type Room } from '#web/sync/room/room.ts';
import { toSpokenName } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { MenuButton } from '#web/ui/menu-button.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { StaffBadge } from '#web/ui/staff-badge.tsx';
import { findTags } from '#web/ui/persona-tag.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { toPersonaLook } from '#web/ui/persona-look.ts';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import styles from './persona.module.css';

interface Props {
  classId: string;
  label: string;
  room: Room;
  onReport: (persona: Persona) => void;
  onClose: () => void;
}

/** The personas in the room, each with a menu. */
export function MembersDialog({ label, onClose, ...props }: Props) {
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
      <Members {...props} />
    </Modal>
  );
}

function Members(props: Omit<Props, 'label' | 'onClose'>): ReactNode {
  const { classId, room, onReport } = props;
  const { preferences } = room;
  const { ignored } = useSyncExternalStore(preferences.subscribe, preferences.getSnapshot);
  const notify = useNotify();
  const setIgnored = (id: string, isOn: boolean) =>
    void choosePreference({ classId, preferences, notify }, { list: 'ignored', id, isOn });
  // Never cached, because the list changes without a notification.
  const members = useQuery({
    queryKey: ['class', classId, 'members'],
    queryFn: () => listMembers(classId),
    staleTime: 0,
    gcTime: 0,
  });
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
    return <QueryFailure className={styles.members} query={members} />;
  }
  const { me, personas } = members.data;
  const { staff } = room.getSnapshot();
  const sortedPersonas = personas.toSorted((a, b) => compareText(a.anonymousName, b.anonymousName));
  const tags = findTags(sortedPersonas);
  const isMine = (memberId: string) => isOwnPersona({ me: me.memberId, staff }, memberId);
  if (personas.length === 0) return <p>No one is listed yet.</p>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
    <ul className={styles.members} tabIndex={0} aria-label="People">
      {sortedPersonas.map((persona) => {
        const { memberId, anonymousName, icon } = persona;
        const tag = tags.get(memberId);
        const isIgnored = ignored.has(memberId);
        return (
          <li key={memberId} className={styles.member}>
            <PersonaIcon seed={icon} size={24} />
            <bdi className={styles.name} style={{ '--hue': toPersonaLook(icon).hue }}>
              {anonymousName}
            </bdi>
            {tag && <span className={styles.note}>{tag}</span>}
            <StaffBadge persona={persona} />
            {isMine(memberId) && <span className={styles.note}>(you)</span>}
            {isIgnored && <span className={styles.note}>(ignored)</span>}
            {!isMine(memberId) && (
              <span className={styles.memberMenu}>
                <MenuButton
                  label={`Options for ${toSpokenName(persona, tag)}`}
                  items={[
                    {
                      icon: 'ignore',
                      label: isIgnored ? 'Stop ignoring' : 'Ignore',
                      action: () => setIgnored(memberId, !isIgnored),
                    },
                    { icon: 'flag', label: 'Report', action: () => onReport(persona) },
                  ]}
                />
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
