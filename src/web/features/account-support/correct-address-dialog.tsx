import { useRef } from 'react';
import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import { AddressField } from './address-field.tsx';
import { useForm } from '#web/ui/form.tsx';
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
  const command = useCommand('correctAddress', {
    onSuccess(_, { body }) {
      notify({ text: getText('accounts.correct.done', { email: body.newEmail }) });
      onClose();
    },
    onError: () => field.current?.focus(),
  });
  const form = useForm({
    fields: { address: '' },
    command,
    findProblems: ({ address }) => ({
      address: address.includes('@') ? null : getText('accounts.correct.incomplete'),
    }),
    onSubmit: ({ address }) => command.mutate({ body: { email, newEmail: address.trim() } }),
  });
  return (
    <FormDialog
      title={getText('accounts.correct.title')}
      text={getText('accounts.correct.lead', { email })}
      submitLabel={getText('accounts.correct.submit')}
      pendingLabel={getText('accounts.correct.sending')}
      form={form}
      onCancel={onClose}
    >
      <AddressField ref={field} label={getText('accounts.newAddress')} {...form.bind('address')} />
    </FormDialog>
  );
}
