import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { SupportedAccount } from '#contract/account-support.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { formatDeviceName } from '#web/data/device-name.ts';
import { formatList, formatPastDay } from '#web/format.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { CorrectAddressDialog } from './correct-address-dialog.tsx';
import { DeleteAccountDialog } from './delete-account-dialog.tsx';
import styles from './accounts-page.module.css';

interface Props {
  account: SupportedAccount;
  /** The account as it is without sessions. */
  onSignedOut: (account: SupportedAccount) => void;
  onDeleted: () => void;
}

const signInLabels: Record<SupportedAccount['signsInWith'][number], string> = {
  password: getText('accounts.card.password'),
  provider: getText('accounts.card.provider'),
};

/** What operators see of one account, and what they can do for its owner. */
export function AccountCard({ account, onSignedOut, onDeleted }: Props) {
  const { accountAddress: email, verified, joiningDay, signsInWith, signedInOn } = account;
  const [dialog, setDialog] = useState<'correct' | 'delete' | null>(null);
  const { confirm } = useDialogs();
  const notify = useNotify();
  const action = useMutation({
    async mutationFn(name: ActionName) {
      const reply = await call(name, { body: { email } });
      if ('supported' in reply) saveFile(reply.supported);
    },
  });
  const run = async (name: ActionName) => {
    const confirmation = confirmations[name];
    if (confirmation && !(await confirm(confirmation.toQuestion(email), confirmation))) return;
    action.mutate(name, {
      onSuccess() {
        notify({ text: getText('accounts.card.done', { action: name, email }) });
        if (name === 'endAccountSessions') onSignedOut({ ...account, signedInOn: [] });
      },
    });
  };
  const close = () => setDialog(null);
  const isBusy = action.isPending;
  return (
    <section className="stack" aria-labelledby="account">
      <h2 id="account" className={styles.address}>
        <bdi translate="no">{email}</bdi>
      </h2>
      <dl className={styles.facts}>
        <Fact label={getText('accounts.card.address')}>
          {verified ? getText('accounts.verified') : getText('accounts.notVerified')}
        </Fact>
        <Fact label={getText('accounts.card.joined')}>
          {joiningDay === '' ? getText('accounts.joinedUnknown') : formatPastDay(joiningDay)}
        </Fact>
        <Fact label={getText('accounts.card.signsInWith')}>
          {formatList(signsInWith.map((way) => signInLabels[way])) || getText('accounts.noSignIn')}
        </Fact>
        <Fact label={getText('accounts.card.devices')}>
          {signedInOn.length === 0 ? (
            getText('accounts.card.noDevice')
          ) : (
            <ul className="stack-xs">
              {signedInOn.map(({ deviceName, signInDay }, n) => (
                <li key={n}>
                  {getRichText('accounts.card.device', {
                    deviceName: formatDeviceName(deviceName),
                    day: formatPastDay(signInDay),
                    muted: <span className="muted" />,
                  })}
                </li>
              ))}
            </ul>
          )}
        </Fact>
      </dl>
      <Callout kind="error">{action.error ? toErrorMessage(action.error) : null}</Callout>
      <ul className={styles.actions} aria-label={getText('accounts.card.actions', { email })}>
        {!verified && (
          <Action text={getText('accounts.verify.when')}>
            <Button aria-disabled={isBusy} onClick={() => void run('resendVerification')}>
              {getText('accounts.verify.open')}
            </Button>
          </Action>
        )}
        <Action text={getText('accounts.reset.when')}>
          <Button aria-disabled={isBusy} onClick={() => void run('sendResetLink')}>
            {getText('accounts.reset.open')}
          </Button>
        </Action>
        <Action text={getText('accounts.correct.when')}>
          <Button onClick={() => setDialog('correct')}>{getText('accounts.correct.open')}</Button>
        </Action>
        <Action text={getText('accounts.signOut.when')}>
          <Button aria-disabled={isBusy} onClick={() => void run('endAccountSessions')}>
            {getText('accounts.signOut.open')}
          </Button>
        </Action>
        <Action text={getText('accounts.export.when')}>
          <Button aria-disabled={isBusy} onClick={() => void run('exportFoundAccount')}>
            {getText('accounts.export.submit')}
          </Button>
        </Action>
        <Action text={getText('accounts.delete.when')}>
          <Button variant="danger" onClick={() => setDialog('delete')}>
            {getText('accounts.delete.open')}
          </Button>
        </Action>
      </ul>
      {dialog === 'correct' && <CorrectAddressDialog email={email} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteAccountDialog
          email={email}
          onClose={close}
          onDeleted={() => {
            close();
            onDeleted();
          }}
        />
      )}
    </section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="muted">{label}</dt>
      <dd className="grow">{children}</dd>
    </div>
  );
}

function Action({ text, children }: { text: string; children: ReactNode }) {
  return (
    <li>
      <p>{text}</p>
      {children}
    </li>
  );
}

type ActionName =
  | 'resendVerification'
  | 'sendResetLink'
  | 'endAccountSessions'
  | 'exportFoundAccount';

/** The file has what the screen shows. */
function saveFile(account: SupportedAccount | null): void {
  const json = `${JSON.stringify(account, null, 2)}\n`;
  const url = URL.createObjectURL(new Blob([json], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'account.json';
  link.click();
  URL.revokeObjectURL(url);
}

interface Confirmation {
  toQuestion: (email: string) => string;
  label: string;
  danger: boolean;
}

const confirmations: Record<ActionName, Confirmation | null> = {
  resendVerification: {
    toQuestion: (email) => getText('accounts.verify.confirm', { email }),
    label: getText('accounts.verify.submit'),
    danger: false,
  },
  sendResetLink: {
    toQuestion: (email) => getText('accounts.reset.confirm', { email }),
    label: getText('accounts.reset.submit'),
    danger: false,
  },
  endAccountSessions: {
    toQuestion: (email) => getText('accounts.signOut.confirm', { email }),
    label: getText('accounts.signOut.submit'),
    danger: true,
  },
  exportFoundAccount: null,
};
