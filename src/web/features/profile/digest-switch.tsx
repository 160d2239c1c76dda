import { useState } from 'react';
import { toErrorMessage } from '#web/api.ts';
import { useSaveDigest, type Notifications } from '#web/data/notifications.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Callout } from '#web/ui/callout.tsx';

const unavailableTexts = {
  noMail: 'This server sends no daily email, because it has no mail server.',
  off: 'This server sends no daily email.',
};

/** Switches the daily email that counts missed messages. */
export function DigestSwitch({
  accountNotifications,
}: {
  accountNotifications: Pick<Notifications, 'digest' | 'digestUnavailable'>;
}) {
  const { mutate, error } = useSaveDigest();
  const [isOn, setIsOn] = useState(accountNotifications.digest);
  const reason = accountNotifications.digestUnavailable;
  const change = (digest: boolean) => {
    setIsOn(digest);
    mutate(digest, { onError: () => setIsOn(accountNotifications.digest) });
  };
  return (
    <div>
      <Callout kind="error">{error ? toErrorMessage(error) : null}</Callout>
      <CheckBox
        checked={isOn}
        // A member can always turn the email off.
        disabled={reason !== null && !isOn}
        aria-describedby="digest-note"
        onChange={(isChecked) => change(isChecked)}
      >
        Email me a daily summary
      </CheckBox>
      <p id="digest-note" className="muted">
        {reason
          ? unavailableTexts[reason]
          : 'Only if you have not opened the app for some hours. It names your classes and roughly how many messages you missed. Your email provider can read that.'}
      </p>
    </div>
  );
}
