import { type ComponentProps, useRef } from 'react';
import { limits } from '#contract/limits.ts';
import { useCall, useCommand, useNoticedCommand } from '#web/data/use-call.ts';
import { formatPastDay } from '#web/format.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
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
      notify({ text: getText('accounts.unblock.done') });
      heading.current?.focus();
    },
  });
  const takeBack = async (blockId: string, reason: string) => {
    const question = getText('accounts.unblock.confirm', { reason });
    const label = getText('accounts.unblock.submit');
    if (!(await confirm(question, { label, danger: false }))) return;
    unblocking.mutate({ params: { blockId } });
  };
  const blocks = blocksQuery.data?.blocks;
  return (
    <div className={styles.blocks} role="group" aria-labelledby="blocked-addresses">
      <h2 id="blocked-addresses" ref={heading} tabIndex={-1}>
        {getText('accounts.blocks.title')}
      </h2>
      <p>{getText('accounts.blocks.lead')}</p>
      <BlockForm />
      {!blocks && <QueryState query={blocksQuery} />}
      {blocks?.length === 0 && <p className="muted">{getText('accounts.blocks.empty')}</p>}
      {blocks && blocks.length > 0 && (
        <ul className={styles.actions} aria-label={getText('accounts.blocks.title')}>
          {blocks.map(({ blockId, blockedDay, reason }) => (
            <li key={blockId}>
              <p>
                {getRichText('accounts.blocks.item', {
                  reason,
                  day: formatPastDay(blockedDay),
                  bdi: <bdi />,
                  muted: <span className="muted" />,
                })}
              </p>
              <Button
                aria-label={getText('accounts.unblock.label', { reason })}
                onClick={() => void takeBack(blockId, reason)}
              >
                {getText('accounts.unblock.submit')}
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
      address: address.includes('@') ? null : getText('accounts.incomplete'),
      reason: findReasonProblem(reason),
    }),
    onSubmit: ({ address, reason }) =>
      blocking.mutate(
        { body: { email: address.trim(), blockReason: reason.trim() } },
        {
          onSuccess() {
            notify({ text: getText('accounts.block.done', { email: address.trim() }) });
            form.change({ address: '', reason: '' });
            field.current?.focus();
          },
        },
      ),
  });
  return (
    <Form form={form} className={styles.block} aria-label={getText('accounts.block.title')}>
      <AddressField
        ref={field}
        label={getText('accounts.block.label')}
        hint={getText('accounts.block.hint')}
        {...form.bind('address')}
      />
      <BlockReasonField {...form.bind('reason')} />
      <Callout kind="error">{form.error}</Callout>
      <Button type="submit" aria-disabled={form.isPending}>
        {form.isPending ? getText('accounts.blocking') : getText('accounts.block')}
      </Button>
    </Form>
  );
}

/** @returns null if the reason is allowed */
export function findReasonProblem(reason: string): string | null {
  const length = Array.from(reason.trim()).length;
  if (length === 0) return getText('accounts.reason.missing');
  return length > limits.decisionReason ? getText('accounts.reason.tooLong') : null;
}

export function BlockReasonField(props: Omit<ComponentProps<typeof TextField>, 'label'>) {
  return (
    <TextField
      {...props}
      label={getText('accounts.reason.label')}
      hint={getText('accounts.reason.hint')}
      autoComplete="off"
      dir="auto"
    />
  );
}
