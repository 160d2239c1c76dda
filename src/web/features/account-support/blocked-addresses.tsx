import { type ComponentProps, useRef } from 'react';
import { limits } from '#contract/limits.ts';
import { useCall, useCommand, useNoticedCommand } from '#web/data/use-call.ts';
import { formatPastDay } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { Form, useForm } from '#web/ui/form.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { AddressField } from './address-field.tsx';
import styles from './accounts-page.module.css';

/** The blocks, without the addresses: only keyed hashes of them are stored. */
export function BlockedAddresses() {
  const blocksQuery = useCall('listBlockedAddresses', {});
  const { confirm } = useDialogs();
  const notify = useNotify();
  const heading = useRef<HTMLHeadingElement>(null);
  const unblocking = useNoticedCommand('unblockAddress', {
    refreshes: ['listBlockedAddresses'],
    onSuccess() {
      notify({ text: 'The address is no longer blocked.' });
      heading.current?.focus();
    },
  });
  const takeBack = async (blockId: string, reason: string) => {
    const question = `Take the block back (“${reason}”)? The address can then sign up again and gets mails.`;
    if (!(await confirm(question, { label: 'Unblock', danger: false }))) return;
    unblocking.mutate({ params: { blockId } });
  };
  const blocks = blocksQuery.data?.blocks;
  return (
    <div className={styles.blocks} role="group" aria-labelledby="blocked-addresses">
      <h2 id="blocked-addresses" ref={heading} tabIndex={-1}>
        Blocked addresses
      </h2>
      <p>
        No one can sign up or sign in with a blocked address, and it gets no mail. The list does not
        say which address it is, because the server does not keep it.
      </p>
      <BlockForm />
      {!blocks && <QueryState query={blocksQuery} />}
      {blocks?.length === 0 && <p className="muted">No address is blocked.</p>}
      {blocks && blocks.length > 0 && (
        <ul className={styles.actions} aria-label="Blocked addresses">
          {blocks.map(({ blockId, blockedDay, reason }) => (
            <li key={blockId}>
              <p>
                <bdi>{reason}</bdi>
                <span className="muted">, since {formatPastDay(blockedDay)}</span>
              </p>
              <Button
                aria-label={`Unblock: ${reason}`}
                onClick={() => void takeBack(blockId, reason)}
              >
                Unblock
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function BlockForm() {
  const blocking = useCommand('blockAddress', { refreshes: ['listBlockedAddresses'] });
  const notify = useNotify();
  const field = useRef<HTMLInputElement>(null);
  const form = useForm({
    fields: { address: '', reason: '' },
    command: blocking,
    findProblems: ({ address, reason }) => ({
      address: address.includes('@') ? null : 'Please enter the whole address.',
      reason: findReasonProblem(reason),
    }),
    onSubmit: ({ address, reason }) =>
      blocking.mutate(
        { body: { email: address.trim(), blockReason: reason.trim() } },
        {
          onSuccess() {
            notify({ text: `${address.trim()} is blocked.` });
            form.change({ address: '', reason: '' });
            field.current?.focus();
          },
        },
      ),
  });
  return (
    <Form form={form} className={styles.block} aria-label="Block an address">
      <AddressField
        ref={field}
        label="Address to block"
        hint="Its account, if there is one, is signed out and stays."
        {...form.bind('address')}
      />
      <BlockReasonField {...form.bind('reason')} />
      <Callout kind="error">{form.error}</Callout>
      <Button type="submit" aria-disabled={form.isPending}>
        {form.isPending ? 'Blocking…' : 'Block address'}
      </Button>
    </Form>
  );
}

/** @returns null if the reason is allowed */
export function findReasonProblem(reason: string): string | null {
  const length = Array.from(reason.trim()).length;
  if (length === 0) return 'Please say why.';
  return length > limits.decisionReason ? `At most ${limits.decisionReason} characters.` : null;
}

export function BlockReasonField(props: Omit<ComponentProps<typeof TextField>, 'label'>) {
  return (
    <TextField
      {...props}
      label="Why it is blocked"
      hint="Operators see it. Do not write the address or a name."
      autoComplete="off"
      dir="auto"
    />
  );
}
