import { useRef, useState } from 'react';
import { toErrorMessage } from '#web/api.ts';
import { useAccountAction } from './account-support.ts';
import { AddressField } from './address-field.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { useNotify } from '#web/ui/notices.tsx';

interface Props {
  email: string;
  onClose: () => void;
  onDeleted: () => void;
}

/** The operator types the address again, so that no wrong account is deleted. */
export function DeleteAccountDialog({ email, onClose, onDeleted }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const notify = useNotify();
  const action = useAccountAction();
  const [typedAddress, setTypedAddress] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const submit = () => {
    const repeatedEmail = typedAddress.trim();
    if (repeatedEmail.toLowerCase() !== email.toLowerCase()) {
      return setProblem('This is not the address of the account.');
    }
    setError(null);
    action.mutate(
      { kind: 'delete', email, repeatedEmail },
      {
        onSuccess() {
          notify({ text: `The account ${email} is deleted.` });
          onDeleted();
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
      title="Delete account"
      text={`${email} is signed out and can no longer sign in. This cannot be undone. Its messages stay in their classes, without any link to the account: only its owner can choose, on the profile page, that they go. Each class counts one member less at another time within 30 days. The owner is told by mail.`}
      variant="danger"
      submitLabel={action.isPending ? 'Deleting…' : 'Delete account'}
      isPending={action.isPending}
      error={error}
      onSubmit={submit}
      onCancel={onClose}
    >
      <AddressField
        ref={field}
        label="Type the address again"
        problem={problem}
        value={typedAddress}
        onChange={(value) => {
          setTypedAddress(value);
          setProblem(null);
          setError(null);
        }}
      />
    </FormDialog>
  );
}
