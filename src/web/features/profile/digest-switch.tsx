import { useState } from 'react';
import { toErrorMessage } from '#web/api.ts';
import { useSaveDigest, type Notifications } from '#web/data/notifications.ts';
import { getText } from '#web/get-text.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Callout } from '#web/ui/callout.tsx';

const unavailableTexts = {
  noMail: getText('profile.digest.noMail'),
  off: getText('profile.digest.off'),
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
        {getText('profile.digest.label')}
      </CheckBox>
      <p id="digest-note" className="muted">
        {reason ? unavailableTexts[reason] : getText('profile.digest.hint')}
      </p>
    </div>
  );
}
