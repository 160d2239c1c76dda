import { useRef } from 'react';
import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
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
      notify({ text: getText('accounts.delete.done', { email }) });
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
          : getText('accounts.delete.otherAddress'),
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
      title={getText('accounts.delete.title')}
      text={getText('accounts.delete.lead', { email })}
      variant="danger"
      submitLabel={getText('accounts.delete.submit')}
      pendingLabel={getText('accounts.delete.deleting')}
      form={form}
      onCancel={onClose}
    >
      <AddressField ref={field} label={getText('accounts.again')} {...form.bind('typedAddress')} />
      <SelectField label={getText('accounts.messages.label')} {...form.bind('messages')}>
        <option value="keep">{getText('accounts.messages.keep')}</option>
        <option value="delete">{getText('accounts.messages.delete')}</option>
      </SelectField>
      <CheckBox
        checked={form.fields.isBlocked}
        onChange={(isChecked) => form.change({ isBlocked: isChecked })}
      >
        {getText('accounts.delete.block')}
      </CheckBox>
      {form.fields.isBlocked && <BlockReasonField {...form.bind('blockReason')} />}
    </FormDialog>
  );
}
