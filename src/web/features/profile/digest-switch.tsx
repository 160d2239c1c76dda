import { useState } from 'react';
import { toErrorMessage } from '#web/api.ts';
import { useSaveDigest, type Notifications } from './notifications.ts';
import { Callout } from '#web/ui/callout.tsx';
import styles from './settings-sections.module.css';

const unavailable = {
  noMail: 'This server sends no daily email, because it has no mail server.',
  off: 'This server sends no daily email.',
};

/** The daily email that counts what was missed. */
export function DigestSwitch({
  shown,
}: {
  shown: Pick<Notifications, 'digest' | 'digestUnavailable'>;
}) {
  const { mutate, error } = useSaveDigest();
  const [isOn, setIsOn] = useState(shown.digest);
  const reason = shown.digestUnavailable;
  const change = (digest: boolean) => {
    setIsOn(digest);
    mutate(digest, { onError: () => setIsOn(shown.digest) });
  };
  return (
    <div className={styles.group}>
      <Callout kind="error">{error ? toErrorMessage(error) : null}</Callout>
      <label className={styles.toggle}>
        <input
          type="checkbox"
          checked={isOn}
          // What is on can always be turned off.
          disabled={reason !== null && !isOn}
          aria-describedby="digest-note"
          onChange={({ target }) => change(target.checked)}
        />
        Email me once a day what I missed
      </label>
      <p id="digest-note" className={styles.note}>
        {reason
          ? unavailable[reason]
          : 'Only if you have not opened the app for some hours. It names your classes and roughly how many messages you missed. Your email provider can read that.'}
      </p>
    </div>
  );
}
