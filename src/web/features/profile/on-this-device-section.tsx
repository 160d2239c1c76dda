import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { toClassLabel } from '#contract/class-label.ts';
import { useClasses } from '#web/data/classes.ts';
import { forgetRooms, listRooms } from '#web/data/offline-data.ts';
import { useMe } from '#web/data/session.ts';
import { changeSetting, useSettings } from '#web/data/settings.ts';
import { formatQuantity, formatMoment } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { ProfileSection } from './profile-section.tsx';
import styles from './profile-screen.module.css';

const unavailableText = 'This browser does not let the app keep messages. Everything else works.';

/** What this browser keeps for the time without a network. */
export function OnThisDeviceSection() {
  const notify = useNotify();
  const list = useRef<HTMLUListElement>(null);
  const account = useMe().data?.account?.key;
  const isOn = useSettings().keepMessages === 'on';
  const classes = useClasses().data ?? [];
  const roomsQuery = useQuery({
    queryKey: ['kept', account, isOn],
    queryFn: () => listRooms(account ?? ''),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const { refetch } = roomsQuery;
  const forget = useMutation({
    mutationFn: forgetRooms,
    onSuccess: async () => {
      await refetch();
      notify({ text: 'No messages are kept on this device.' });
      // The button that had the focus is gone.
      list.current?.focus();
    },
  });
  useEffect(() => {
    // Another class may have been stored since, or by another tab.
    const onFocus = () => void refetch();
    addEventListener('focus', onFocus);
    return () => removeEventListener('focus', onFocus);
  }, [refetch]);
  const rooms = (isOn && roomsQuery.data) || [];
  return (
    <ProfileSection
      title="On this device"
      isPage
      lead="The last 200 messages of each class that you open here, so that you can read them without a network. Pictures are not kept. Anyone who can use this browser can read them. Logging out deletes them."
    >
      <label className="check-row">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => changeSetting('keepMessages', target.checked ? 'on' : 'off')}
        />
        Keep messages on this device
      </label>
      <Callout kind="error">
        {roomsQuery.isError || forget.isError ? unavailableText : null}
      </Callout>
      <ul ref={list} className={styles.devices} tabIndex={-1} aria-label="Kept classes">
        {rooms.map(({ classId, replica, keptAt }) => {
          const joinedClass = classes.find((candidate) => candidate.classId === classId);
          return (
            <li key={classId} className={styles.device}>
              <div>
                <p className="medium">{joinedClass ? toClassLabel(joinedClass) : 'A class'}</p>
                <p className="meta">
                  {formatQuantity(replica.messages.length, 'message')}, {formatMoment(keptAt)}
                </p>
              </div>
            </li>
          );
        })}
      </ul>
      {rooms.length > 0 ? (
        <Button aria-disabled={forget.isPending} onClick={() => forget.mutate()}>
          Forget these messages
        </Button>
      ) : (
        <p className="muted">{isOn ? 'No class is kept yet.' : 'Nothing is kept.'}</p>
      )}
    </ProfileSection>
  );
}
