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
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { DigestSwitch } from './digest-switch.tsx';
import { NotificationSettingsForm } from './notification-settings.tsx';
import { ProfileSection } from './profile-section.tsx';

const texts = {
  unsupported:
    'This browser has no notifications. On an iPhone or iPad, add the app to the home screen and open it there.',
  off: 'This server sends no notifications.',
  blocked:
    'Your browser blocks notifications of this site. Allow them in its settings, then try again.',
  failed: 'Your browser could not turn on notifications. Please try again later.',
};

/** Notifications on this device, and what the account wants to be notified of. */
export function NotificationsSection() {
  const notifications = useNotifications();
  const { data } = notifications;
  return (
    <ProfileSection
      title="Notifications"
      isPage
      lead="Get notified when the app is closed. A notification says which class it is about. The company that makes your browser delivers it, but cannot read it."
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
      <p className="muted">To change this for one class, open it and click its name.</p>
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
      <p role="status">{isOn ? 'This device gets notifications.' : null}</p>
      <Button
        variant={isOn ? 'quiet' : 'primary'}
        aria-disabled={change.isPending}
        onClick={() => change.mutate()}
      >
        {isOn ? 'Turn off on this device' : 'Turn on notifications'}
      </Button>
    </>
  );
}

function toFailureText(error: Error): string {
  return error instanceof DOMException ? texts.failed : toErrorMessage(error);
}
