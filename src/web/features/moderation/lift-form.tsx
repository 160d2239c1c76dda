import { useState } from 'react';
import { toErrorMessage } from '#web/api.ts';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { TextField } from '#web/ui/text-field.tsx';

interface Props {
  title: string;
  text: string;
  isPending: boolean;
  onLift: (reason: string, onError: (error: Error) => void) => void;
  onClose: () => void;
}

/** Asks why a sanction is lifted. If the server rejects the call, the typed reason stays. */
export function LiftForm({ title, text, isPending, onLift, onClose }: Props) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const submit = () => {
    if (reason.trim() === '') return setProblem('Please enter a reason for the audit log.');
    onLift(reason.trim(), (failure) => setError(toErrorMessage(failure)));
  };
  return (
    <FormDialog
      title={title}
      text={text}
      submitLabel={isPending ? 'Saving…' : 'Lift'}
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onCancel={onClose}
    >
      <TextField
        label="Reason"
        data-first-focus
        autoComplete="off"
        dir="auto"
        value={reason}
        problem={problem}
        onChange={({ target }) => {
          setReason(target.value);
          setProblem(null);
          setError(null);
        }}
      />
    </FormDialog>
  );
}
