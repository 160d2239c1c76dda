import { useRef, useState } from 'react';
import { toErrorMessage } from '#web/api.ts';
import { useCommand } from '#web/data/use-call.ts';
import { AddressField } from './address-field.tsx';
import { BlockReasonField, toReasonProblem } from './blocked-addresses.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
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
  const action = useCommand('deleteFoundAccount', { refreshes: ['listBlockedAddresses'] });
  const [typedAddress, setTypedAddress] = useState('');
  const [messages, setMessages] = useState<'keep' | 'delete'>('keep');
  /** Null: the address is not blocked. */
  const [blockReason, setBlockReason] = useState<string | null>(null);
  const [reasonProblem, setReasonProblem] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const submit = () => {
    const repeatedEmail = typedAddress.trim();
    if (repeatedEmail.toLowerCase() !== email.toLowerCase()) {
      return setProblem('This is not the address of the account.');
    }
    if (blockReason !== null && toReasonProblem(blockReason) !== null) {
      return setReasonProblem(toReasonProblem(blockReason));
    }
    setError(null);
    action.mutate(
      {
        body: {
          email,
          repeatedEmail,
          messages,
          ...(blockReason !== null && { blockReason: blockReason.trim() }),
        },
      },
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
      text={`${email} is signed out and can no longer sign in. This cannot be undone. Each class counts one member less at another time within 30 days. The owner is told by mail, unless the address is blocked.`}
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
      <SelectField
        label="Messages"
        value={messages}
        onChange={({ target }) => setMessages(target.value === 'delete' ? 'delete' : 'keep')}
      >
        <option value="keep">Stay in their classes, without any link to the account</option>
        <option value="delete">Go within 30 days, because the owner asks for it</option>
      </SelectField>
      <label className="check-row">
        <input
          type="checkbox"
          checked={blockReason !== null}
          onChange={({ target }) => setBlockReason(target.checked ? '' : null)}
        />
        Block the address, too: no one can sign up with it, and it gets no mail
      </label>
      {blockReason !== null && (
        <BlockReasonField
          problem={reasonProblem}
          reason={blockReason}
          onChange={(reason) => {
            setBlockReason(reason);
            setReasonProblem(null);
          }}
        />
      )}
    </FormDialog>
  );
}
