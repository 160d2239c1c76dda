import { type ReactNode, type SubmitEvent, useCallback, useId } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Modal } from '#web/ui/modal.tsx';
import styles from './profile-screen.module.css';

interface Props {
  title: string;
  text: string;
  variant: 'primary' | 'danger';
  submitLabel: string;
  isPending: boolean;
  error: string | null;
  onSubmit: () => void;
  onCancel: () => void;
  /** The fields of the form. */
  children: ReactNode;
}

/** A dialog with a form that changes the account. It stays open while the change is in progress. */
export function AccountDialog(props: Props) {
  const { title, text, variant, submitLabel, isPending, error, children } = props;
  const { onSubmit, onCancel } = props;
  const form = useId();
  const dismiss = useCallback(() => {
    if (!isPending) onCancel();
  }, [isPending, onCancel]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!isPending) onSubmit();
  };
  return (
    <Modal
      title={title}
      text={text}
      onDismiss={dismiss}
      actions={
        <>
          <Button onClick={dismiss}>Cancel</Button>
          <Button variant={variant} type="submit" form={form} aria-disabled={isPending}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit} noValidate>
        {children}
        <Callout kind="error">{error}</Callout>
      </form>
    </Modal>
  );
}
