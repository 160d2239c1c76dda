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
      title="The address of this person"
      text="Note it now. It is stored nowhere, and it will not be shown again."
      onDismiss={onHide}
      actions={
        <>
          <Button onClick={() => void copy(address)}>Copy</Button>
          <Button variant="primary" data-first-focus onClick={onDone}>
            I have noted it
          </Button>
        </>
      }
    >
      <p className={styles.address}>{address}</p>
    </Modal>
  );
}
