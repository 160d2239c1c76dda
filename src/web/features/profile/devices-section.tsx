import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Device } from '#contract/account.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { formatDeviceName } from '#web/data/device-name.ts';
import { pollWhileUnreachable } from '#web/data/query-client.ts';
import { useMe } from '#web/data/session.ts';
import { useCall } from '#web/data/use-call.ts';
import { formatPastDay } from '#web/format.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { ProfileSection } from './profile-section.tsx';
import styles from './profile-screen.module.css';

/** The sessions of the account. The list refetches after each change. */
export function DevicesSection() {
  const notify = useNotify();
  const list = useRef<HTMLUListElement>(null);
  const signedIn = useMe().data?.account !== null;
  // Disables the query after sign-out, while this screen is still mounted.
  const options = { enabled: signedIn, gcTime: 0, refetchInterval: pollWhileUnreachable };
  const devices = useCall('listDevices', {}, options);
  const signOut = useMutation({
    mutationFn: async (device: Device | 'others') => {
      if (device === 'others') await call('signOutOtherDevices', {});
      else await call('signOutDevice', { params: { deviceId: device.deviceId } });
    },
    onSuccess: (_, device) => {
      const text =
        device === 'others'
          ? getText('profile.devices.othersSignedOut')
          : getText('profile.devices.signedOut', { name: formatDeviceName(device.name) });
      notify({ text });
      // Removing the row removes the focused button, so the list takes the focus.
      list.current?.focus();
    },
    onSettled: () => devices.refetch(),
  });
  const listedDevices = devices.data?.devices ?? [];
  return (
    <ProfileSection
      title={getText('profile.devices.title')}
      isPage
      lead={getText('profile.devices.lead')}
      query={devices}
    >
      <Callout kind="error">{signOut.error ? toErrorMessage(signOut.error) : null}</Callout>
      <ul
        ref={list}
        className={styles.devices}
        tabIndex={-1}
        aria-label={getText('profile.devices.title')}
      >
        {listedDevices.map((device) => (
          <li key={device.deviceId} className={styles.device}>
            <div>
              <p className="medium" dir="auto">
                {formatDeviceName(device.name)}
              </p>
              <p className="meta">
                {getRichText('profile.devices.signedIn', {
                  isCurrent: String(device.current),
                  isNotified: String(device.notified),
                  day: formatPastDay(device.signedInDay),
                  time: <time dateTime={device.signedInDay} />,
                })}
              </p>
            </div>
            {!device.current && (
              <span className="end">
                <Button
                  aria-label={getText('profile.devices.signOutNamed', {
                    name: formatDeviceName(device.name),
                  })}
                  aria-disabled={signOut.isPending}
                  onClick={() => signOut.mutate(device)}
                >
                  {getText('profile.devices.signOut')}
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {listedDevices.length > 1 && (
        <Button aria-disabled={signOut.isPending} onClick={() => signOut.mutate('others')}>
          {getText('profile.devices.signOutOthers')}
        </Button>
      )}
    </ProfileSection>
  );
}
