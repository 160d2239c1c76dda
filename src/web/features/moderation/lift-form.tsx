import { type SubmitEvent, useId, useState } from 'react';
import { errorMessage } from '#web/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './case-detail.module.css';

interface Props {
  title: string;
  text: string;
  isPending: boolean;
  onLift: (reason: string, onError: (error: Error) => void) => void;
  onClose: () => void;
}

/** Asks why a sanction is lifted. What was typed stays while the server refuses it. */
export function LiftForm({ title, text, isPending, onLift, onClose }: Props) {
  const form = useId();
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isPending) return;
    if (reason.trim() === '') return setProblem('Please enter a reason for the audit log.');
    onLift(reason.trim(), (error) => setProblem(errorMessage(error)));
  };
  return (
    <Modal
      title={title}
      text={text}
      onDismiss={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={form} aria-disabled={isPending}>
            {isPending ? 'Saving…' : 'Lift'}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.liftForm} onSubmit={submit} noValidate>
        <TextField
          label="Reason"
          data-first-focus
          autoComplete="off"
          dir="auto"
          value={reason}
          aria-invalid={problem !== null}
          onChange={({ target }) => {
            setReason(target.value);
            setProblem(null);
          }}
        />
        <Callout kind="error">{problem}</Callout>
      </form>
    </Modal>
  );
}
