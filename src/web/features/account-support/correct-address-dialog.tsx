import { useRef, useState } from 'react';
import { toErrorMessage } from '#web/api.ts';
import { useCommand } from '#web/data/use-call.ts';
import { AddressField } from './address-field.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { useNotify } from '#web/ui/notices.tsx';

interface Props {
  email: string;
  onClose: () => void;
}

/** Mails the new address a link. Only the owner can confirm the new address, with the account's password. */
export function CorrectAddressDialog({ email, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const notify = useNotify();
  const action = useCommand('correctAddress');
  const [address, setAddress] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const submit = () => {
    const newEmail = address.trim();
    if (!newEmail.includes('@')) return setProblem('Please enter the whole new address.');
    setError(null);
    action.mutate(
      { body: { email, newEmail } },
      {
        onSuccess() {
          notify({ text: `${newEmail} gets a link to confirm the new address.` });
          onClose();
        },
        onError(failure) {
          setError(toErrorMessage(failure));
          field.current?.focus();
        },
      },
    );
  };
  return (
    <FormDialog
      title="Correct address"
      text={`The new address gets a link, which is valid for a day. The account keeps ${email} until its owner opens the link and enters the password. Then its devices are signed out, and the old address is told.`}
      submitLabel={action.isPending ? 'Sending…' : 'Send link'}
      isPending={action.isPending}
      error={error}
      onSubmit={submit}
      onCancel={onClose}
    >
      <AddressField
        ref={field}
        label="New address"
        problem={problem}
        value={address}
        onChange={(value) => {
          setAddress(value);
          setProblem(null);
          setError(null);
        }}
      />
    </FormDialog>
  );
}
