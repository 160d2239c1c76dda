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

/** The operator types the address again, so that no wrong account goes. */
export function DeleteAccountDialog({ email, onClose, onDeleted }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const notify = useNotify();
  const act = useAccountAction();
  const [repeated, setRepeated] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = () => {
    const reject = (sentence: string) => {
      setProblem(sentence);
      field.current?.focus();
    };
    const repeatedEmail = repeated.trim();
    if (repeatedEmail.toLowerCase() !== email.toLowerCase()) {
      return reject('This is not the address of the account.');
    }
    setProblem(null);
    act.mutate(
      { kind: 'delete', email, repeatedEmail },
      {
        onSuccess() {
          notify({ text: `The account ${email} is deleted.` });
          onDeleted();
        },
        onError: (error) => reject(toErrorMessage(error)),
      },
    );
  };
  return (
    <FormDialog
      title="Delete account"
      text={`${email} is signed out and can no longer sign in. This cannot be undone. Its messages stay in their classes, without any link to the account: only its owner can choose, on the profile page, that they go. Each class counts one member less at another time within 30 days. The owner is told by mail.`}
      variant="danger"
      submitLabel={act.isPending ? 'Deleting…' : 'Delete account'}
      isPending={act.isPending}
      error={problem}
      onSubmit={submit}
      onCancel={onClose}
    >
      <AddressField
        ref={field}
        label="Type the address again"
        isInvalid={problem !== null}
        value={repeated}
        onChange={(value) => {
          setRepeated(value);
          setProblem(null);
        }}
      />
    </FormDialog>
  );
}
