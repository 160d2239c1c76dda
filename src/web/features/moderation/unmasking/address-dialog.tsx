import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { useCopyText } from '#web/ui/copy-text.ts';
import { Modal } from '#web/ui/modal.tsx';
import styles from './unmasking.module.css';

interface Props {
  address: string;
  /** Escape and Back hide the address without losing it. */
  onHide: () => void;
  onDone: () => void;
}

export function AddressDialog({ address, onHide, onDone }: Props) {
  const copy = useCopyText();
  return (
    <Modal
      title={getText('moderation.address.title')}
      text={getText('legal.unmasking.address')}
      onDismiss={onHide}
      actions={
        <>
          <Button onClick={() => void copy(address)}>{getText('common.copy')}</Button>
          <Button variant="primary" data-first-focus onClick={onDone}>
            {getText('moderation.address.noted')}
          </Button>
        </>
      }
    >
      <p className={styles.address}>{address}</p>
    </Modal>
  );
}
