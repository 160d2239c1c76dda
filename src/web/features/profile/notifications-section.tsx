import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toErrorMessage } from '#web/api.ts';
import { useNotifications, type Notifications } from '#web/data/notifications.ts';
import {
  hasNotifications,
  turnOffNotifications,
  turnOnNotifications,
} from '#web/data/push-subscription.ts';
import { refreshCalls } from '#web/data/use-call.ts';
import { getText, getTexts } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { DigestSwitch } from './digest-switch.tsx';
import { NotificationSettingsForm } from './notification-settings.tsx';
import { ProfileSection } from './profile-section.tsx';

const texts = getTexts('profile.notifications.problem');

/** Notifications on this device, and what the account wants to be notified of. */
export function NotificationsSection() {
  const notifications = useNotifications();
  const { data } = notifications;
  return (
    <ProfileSection
      title={getText('profile.notifications.title')}
      isPage
      lead={getText('profile.notifications.lead')}
      query={notifications}
    >
      {data && <NotificationControls accountNotifications={data} />}
    </ProfileSection>
  );
}

function NotificationControls({ accountNotifications }: { accountNotifications: Notifications }) {
  const { publicKey } = accountNotifications;
  if (publicKey === null && accountNotifications.digestUnavailable !== null) {
    return (
      <>
        <p>{texts.off}</p>
        <DigestSwitch accountNotifications={accountNotifications} />
      </>
    );
  }
  return (
    <>
      <ThisDevice publicKey={publicKey} subscribed={accountNotifications.subscribed} />
      <NotificationSettingsForm settings={accountNotifications.notifications} />
      <DigestSwitch accountNotifications={accountNotifications} />
      <p className="muted">{getText('profile.notifications.oneClass')}</p>
    </>
  );
}

function ThisDevice({ publicKey, subscribed }: { publicKey: string | null; subscribed: boolean }) {
  if (publicKey === null) return <p>{texts.off}</p>;
  if (!hasNotifications()) return <p>{texts.unsupported}</p>;
  return <PushSwitch publicKey={publicKey} subscribed={subscribed} />;
}

/** The subscription only helps while the browser shows notifications. */
function PushSwitch({ publicKey, subscribed }: { publicKey: string; subscribed: boolean }) {
  const client = useQueryClient();
  const [isBlocked, setIsBlocked] = useState(Notification.permission === 'denied');
  const isOn = subscribed && Notification.permission === 'granted';
  const change = useMutation({
    async mutationFn() {
      if (isOn) return turnOffNotifications();
      setIsBlocked(!(await turnOnNotifications(publicKey)));
    },
    onSettled: () => refreshCalls(client, ['readNotifications', 'listDevices']),
  });
  const failure = isBlocked ? texts.blocked : change.error && toFailureText(change.error);
  return (
    <>
      <Callout kind="error">{failure}</Callout>
      <p role="status">{isOn ? getText('profile.notifications.on') : null}</p>
      <Button
        variant={isOn ? 'quiet' : 'primary'}
        aria-disabled={change.isPending}
        onClick={() => change.mutate()}
      >
        {isOn ? getText('profile.notifications.turnOff') : getText('profile.notifications.turnOn')}
      </Button>
    </>
  );
}

function toFailureText(error: Error): string {
  return error instanceof DOMException ? texts.failed : toErrorMessage(error);
}
