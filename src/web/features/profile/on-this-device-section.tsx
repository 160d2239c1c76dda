import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { toClassLabel } from '#contract/class-label.ts';
import { useClasses } from '#web/data/classes.ts';
import { forgetRooms, listRooms } from '#web/data/offline-data.ts';
import { useMe } from '#web/data/session.ts';
import { changeSetting, useSettings } from '#web/data/settings.ts';
import { formatMoment } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { ProfileSection } from './profile-section.tsx';
import styles from './profile-screen.module.css';

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
      notify({ text: getText('profile.thisDevice.forgotten') });
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
      title={getText('profile.thisDevice.title')}
      isPage
      lead={getText('profile.thisDevice.lead')}
    >
      <CheckBox
        checked={isOn}
        onChange={(isChecked) => changeSetting('keepMessages', isChecked ? 'on' : 'off')}
      >
        {getText('profile.thisDevice.keep')}
      </CheckBox>
      <Callout kind="error">
        {roomsQuery.isError || forget.isError ? getText('profile.thisDevice.unavailable') : null}
      </Callout>
      <ul
        ref={list}
        className={styles.devices}
        tabIndex={-1}
        aria-label={getText('profile.thisDevice.classes')}
      >
        {rooms.map(({ classId, replica, keptAt }) => {
          const joinedClass = classes.find((candidate) => candidate.classId === classId);
          return (
            <li key={classId} className={styles.device}>
              <div>
                <p className="medium" dir="auto">
                  {joinedClass ? toClassLabel(joinedClass) : getText('profile.thisDevice.aClass')}
                </p>
                <p className="meta">
                  {getText('profile.thisDevice.kept', {
                    count: replica.messages.length,
                    moment: formatMoment(keptAt),
                  })}
                </p>
              </div>
            </li>
          );
        })}
      </ul>
      {rooms.length > 0 ? (
        <Button aria-disabled={forget.isPending} onClick={() => forget.mutate()}>
          {getText('profile.thisDevice.forget')}
        </Button>
      ) : (
        <p className="muted">
          {isOn ? getText('profile.thisDevice.empty') : getText('profile.thisDevice.off')}
        </p>
      )}
    </ProfileSection>
  );
}
