import { type SubmitEvent, useRef, useState } from 'react';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { useCall, useCommand } from '#web/data/use-call.ts';
import { formatPastDay } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { useWrongFieldFocus } from '#web/ui/use-wrong-field-focus.ts';
import { AddressField } from './address-field.tsx';
import styles from './accounts-page.module.css';

/** The blocks, without the addresses: only keyed hashes of them are stored. */
export function BlockedAddresses() {
  const blocksQuery = useCall('listBlockedAddresses', {});
  const unblocking = useCommand('unblockAddress', { refreshes: ['listBlockedAddresses'] });
  const { confirm } = useDialogs();
  const notify = useNotify();
  const heading = useRef<HTMLHeadingElement>(null);
  const takeBack = async (blockId: string, reason: string) => {
    const question = `Take the block back (“${reason}”)? The address can then sign up again and gets mails.`;
    if (!(await confirm(question, { label: 'Unblock', danger: false }))) return;
    unblocking.mutate(
      { params: { blockId } },
      {
        onSuccess() {
          notify({ text: 'The address is no longer blocked.' });
          heading.current?.focus();
        },
        onError: (error) => notify({ text: toErrorMessage(error) }),
      },
    );
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
  const [address, setAddress] = useState('');
  const [reason, setReason] = useState('');
  const [isRejected, setIsRejected] = useState(false);
  const blocking = useCommand('blockAddress', { refreshes: ['listBlockedAddresses'] });
  const notify = useNotify();
  const field = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const focusWrongField = useWrongFieldFocus(form, blocking.isPending);
  const problems = {
    address: address.includes('@') ? null : 'Please enter the whole address.',
    reason: toReasonProblem(reason),
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (blocking.isPending) return;
    const hasProblem = problems.address !== null || problems.reason !== null;
    setIsRejected(hasProblem);
    focusWrongField();
    if (hasProblem) return;
    blocking.mutate(
      { body: { email: address.trim(), blockReason: reason.trim() } },
      {
        onSuccess() {
          notify({ text: `${address.trim()} is blocked.` });
          setAddress('');
          setReason('');
          field.current?.focus();
        },
      },
    );
  };
  return (
    <form
      ref={form}
      className={styles.block}
      aria-label="Block an address"
      onSubmit={submit}
      noValidate
    >
      <AddressField
        ref={field}
        label="Address to block"
        hint="Its account, if there is one, is signed out and stays."
        problem={isRejected ? problems.address : null}
        value={address}
        onChange={setAddress}
      />
      <BlockReasonField
        problem={isRejected ? problems.reason : null}
        reason={reason}
        onChange={setReason}
      />
      <Callout kind="error">{blocking.error ? toErrorMessage(blocking.error) : null}</Callout>
      <Button type="submit" aria-disabled={blocking.isPending}>
        {blocking.isPending ? 'Blocking…' : 'Block address'}
      </Button>
    </form>
  );
}

/** @returns null if the reason is allowed */
export function toReasonProblem(reason: string): string | null {
  const length = Array.from(reason.trim()).length;
  if (length === 0) return 'Please say why.';
  return length > limits.decisionReason ? `At most ${limits.decisionReason} characters.` : null;
}

interface ReasonProps {
  problem: string | null;
  reason: string;
  onChange: (reason: string) => void;
}

export function BlockReasonField({ problem, reason, onChange }: ReasonProps) {
  return (
    <TextField
      label="Why it is blocked"
      hint="Operators see it. Do not write the address or a name."
      autoComplete="off"
      dir="auto"
      problem={problem}
      value={reason}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
