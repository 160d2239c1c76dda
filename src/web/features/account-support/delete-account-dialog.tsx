import { useRef } from 'react';
import { useCommand } from '#web/data/use-call.ts';
import { AddressField } from './address-field.tsx';
import { BlockReasonField, findReasonProblem } from './blocked-addresses.tsx';
import { CheckBox } from '#web/ui/check-box.tsx';
import { useForm } from '#web/ui/form.tsx';
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
  const command = useCommand('deleteFoundAccount', {
    refreshes: ['listBlockedAddresses'],
    onSuccess() {
      notify({ text: `The account ${email} is deleted.` });
      onDeleted();
    },
    onError: () => field.current?.focus(),
  });
  const form = useForm({
    fields: {
      typedAddress: '',
      messages: 'keep' as 'keep' | 'delete',
      isBlocked: false,
      blockReason: '',
    },
    command,
    findProblems: ({ typedAddress, isBlocked, blockReason }) => ({
      typedAddress:
        typedAddress.trim().toLowerCase() === email.toLowerCase()
          ? null
          : 'This is not the address of the account.',
      blockReason: isBlocked ? findReasonProblem(blockReason) : null,
    }),
    onSubmit: ({ typedAddress, messages, isBlocked, blockReason }) =>
      command.mutate({
        body: {
          email,
          repeatedEmail: typedAddress.trim(),
          messages,
          ...(isBlocked && { blockReason: blockReason.trim() }),
        },
      }),
  });
  return (
    <FormDialog
      title="Delete account"
      text={`${email} is signed out and can no longer sign in. This cannot be undone. Each class counts one member less at another time within 30 days. The owner is told by mail, unless the address is blocked.`}
      variant="danger"
      submitLabel="Delete account"
      pendingLabel="Deleting…"
      form={form}
      onCancel={onClose}
    >
      <AddressField ref={field} label="Type the address again" {...form.bind('typedAddress')} />
      <SelectField label="Messages" {...form.bind('messages')}>
        <option value="keep">Stay in their classes, without any link to the account</option>
        <option value="delete">Go within 30 days, because the owner asks for it</option>
      </SelectField>
      <CheckBox
        checked={form.fields.isBlocked}
        onChange={(isChecked) => form.change({ isBlocked: isChecked })}
      >
        Block the address, too: no one can sign up with it, and it gets no mail
      </CheckBox>
      {form.fields.isBlocked && <BlockReasonField {...form.bind('blockReason')} />}
    </FormDialog>
  );
}
