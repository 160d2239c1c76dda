import { useRef } from 'react';
import { useCommand } from '#web/data/use-call.ts';
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
      notify({ text: `${body.newEmail} gets a link to confirm the new address.` });
      onClose();
    },
    onError: () => field.current?.focus(),
  });
  const form = useForm({
    fields: { address: '' },
    command,
    findProblems: ({ address }) => ({
      address: address.includes('@') ? null : 'Please enter the whole new address.',
    }),
    onSubmit: ({ address }) => command.mutate({ body: { email, newEmail: address.trim() } }),
  });
  return (
    <FormDialog
      title="Correct address"
      text={`The new address gets a link, which is valid for a day. The account keeps ${email} until its owner opens the link and enters the password. Then its devices are signed out, and the old address is told.`}
      submitLabel="Send link"
      pendingLabel="Sending…"
      form={form}
      onCancel={onClose}
    >
      <AddressField ref={field} label="New address" {...form.bind('address')} />
    </FormDialog>
  );
}
