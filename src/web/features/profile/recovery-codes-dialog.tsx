import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { useCopyText } from '#web/ui/copy-text.ts';
import { Modal } from '#web/ui/modal.tsx';
import styles from './recovery-codes-dialog.module.css';

interface Props {
  codes: readonly string[];
  onClose: () => void;
}

/** Shows recovery codes, which are shown only once. */
export function RecoveryCodesDialog({ codes, onClose }: Props) {
  const copyText = useCopyText();
  const text = codes.join('\n');
  const file = `${site.appName} (${location.host})\n\n${text}\n`;
  return (
    <Modal
      title={getText('profile.passkeys.codes.title')}
      text={getText('profile.passkeys.codes.text')}
      actions={
        <>
          <Button onClick={() => void copyText(text)}>{getText('common.copy')}</Button>
          <a
            className={toButtonClass('quiet')}
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
            download="recovery-codes.txt"
          >
            {getText('profile.passkeys.codes.download')}
          </a>
          <Button variant="primary" data-first-focus onClick={onClose}>
            {getText('profile.passkeys.codes.close')}
          </Button>
        </>
      }
      // Esc would lose the codes.
      onDismiss={() => {}}
    >
      <ul className={styles.codes} dir="ltr">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </Modal>
  );
}
