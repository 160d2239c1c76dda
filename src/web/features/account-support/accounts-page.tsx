// Help for one account (/admin/accounts): operators find an account by its whole address, mail links, correct the
// address, sign the account out or delete it. The page shows none of the account's classes, personas or messages, so
// that an operator who helps a person does not learn what the person writes. The audit log records each search, so no
// search runs without a click.
import { useEffect, useRef, useState } from 'react';
import type { SupportedAccount } from '#contract/account-support.ts';
import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Form, useForm } from '#web/ui/form.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { AccountCard } from './account-card.tsx';
import { AddressField } from './address-field.tsx';
import { BlockedAddresses } from './blocked-addresses.tsx';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import styles from './accounts-page.module.css';

interface SearchResult {
  address: string;
  /** Null: no account would sign in with this address. */
  account: SupportedAccount | null;
}

export function AccountsPage() {
  const [result, setResult] = useState<SearchResult | null>(null);
  const [deletionCount, setDeletionCount] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The dialog has closed, and gave the focus back to its button, which is gone.
    if (deletionCount > 0) field.current?.focus();
  }, [deletionCount]);
  const search = useCommand('findAccount', {
    onSuccess: ({ supported }, { body }) => setResult({ address: body.email, account: supported }),
  });
  const form = useForm({
    fields: { address: '' },
    // While the server looks for an address, the next one can be typed.
    command: { ...search, isPending: false },
    findProblems: ({ address }) => ({
      address: address.includes('@') ? null : getText('accounts.incomplete'),
    }),
    onSubmit({ address }) {
      if (search.isPending) return;
      setResult(null);
      search.mutate({ body: { email: address.trim() } });
    },
  });
  const title = getText('accounts.title');
  return (
    <TabPage label={title} className="stack">
      <Form form={form} className={styles.search} role="search" aria-label={title}>
        <AddressField
          ref={field}
          label={getText('accounts.search.label')}
          hint={getText('accounts.search.hint')}
          {...form.bind('address')}
        />
        <Button variant="primary" type="submit" aria-disabled={search.isPending}>
          {search.isPending ? getText('accounts.finding') : getText('accounts.find')}
        </Button>
      </Form>
      <Callout kind="error">{form.error}</Callout>
      <div
        role="status"
        aria-label={search.isPending ? getText('common.loadingStatus') : undefined}
      >
        {search.isPending && <Skeleton width="80%" />}
        {result?.account && (
          <VisuallyHidden>
            {getText('accounts.search.found', { email: result.account.accountAddress })}
          </VisuallyHidden>
        )}
        {result?.account === null && (
          <div className={styles.none}>
            <EmptyState text={getText('accounts.search.empty', { email: result.address })} />
          </div>
        )}
      </div>
      {result?.account && (
        <AccountCard
          account={result.account}
          onSignedOut={(account) => setResult({ ...result, account })}
          onDeleted={() => {
            setResult(null);
            setDeletionCount((count) => count + 1);
          }}
        />
      )}
      <BlockedAddresses />
    </TabPage>
  );
}
