import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { SupportedAccount } from '#contract/account-support.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { formatPastDay } from '#web/format.ts';
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
  password: 'Password',
  provider: 'University sign-in',
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
    const { toQuestion, button, toNotice, danger } = actionTexts[name];
    if (toQuestion && !(await confirm(toQuestion(email), { label: button, danger }))) return;
    action.mutate(name, {
      onSuccess() {
        notify({ text: toNotice(email) });
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
        <Fact label="Address">{verified ? 'Verified' : 'Not verified yet'}</Fact>
        <Fact label="Joined">{joiningDay === '' ? 'Unknown' : formatPastDay(joiningDay)}</Fact>
        <Fact label="Signs in with">
          {signsInWith.map((way) => signInLabels[way]).join(', ') || 'Nothing yet'}
        </Fact>
        <Fact label="Devices">
          {signedInOn.length === 0 ? (
            'Signed in on no device'
          ) : (
            <ul className="stack-xs">
              {signedInOn.map(({ deviceName, signInDay }, n) => (
                <li key={n}>
                  {deviceName}
                  <span className="muted">, since {formatPastDay(signInDay)}</span>
                </li>
              ))}
            </ul>
          )}
        </Fact>
      </dl>
      <Callout kind="error">{action.error ? toErrorMessage(action.error) : null}</Callout>
      <ul className={styles.actions} aria-label={`Help ${email}`}>
        {!verified && (
          <Action text="No verification mail arrived, or its link has expired.">
            <Button aria-disabled={isBusy} onClick={() => void run('resendVerification')}>
              Send verification link
            </Button>
          </Action>
        )}
        <Action text="The owner has forgotten the password.">
          <Button aria-disabled={isBusy} onClick={() => void run('sendResetLink')}>
            Send reset link
          </Button>
        </Action>
        <Action text="The owner has another address now, or it has a typing error.">
          <Button onClick={() => setDialog('correct')}>Correct address…</Button>
        </Action>
        <Action text="A device was lost, or a stranger is signed in.">
          <Button aria-disabled={isBusy} onClick={() => void run('endAccountSessions')}>
            Sign out everywhere
          </Button>
        </Action>
        <Action text="The owner asks what operators see. The file has what this screen shows.">
          <Button aria-disabled={isBusy} onClick={() => void run('exportFoundAccount')}>
            Save as a file
          </Button>
        </Action>
        <Action text="The owner asks for it and cannot sign in.">
          <Button variant="danger" onClick={() => setDialog('delete')}>
            Delete account…
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

interface ActionTexts {
  /** Null: the action needs no confirmation. */
  toQuestion: ((email: string) => string) | null;
  button: string;
  danger: boolean;
  toNotice: (email: string) => string;
}

const actionTexts: Record<ActionName, ActionTexts> = {
  resendVerification: {
    toQuestion: (email) =>
      `Send a verification link to ${email}? It is valid for a day and takes the password of the sign-up.`,
    button: 'Send link',
    danger: false,
    toNotice: (email) => `${email} gets a link to verify the address.`,
  },
  sendResetLink: {
    toQuestion: (email) =>
      `Send a link to ${email} to set a new password? It is valid for at least an hour. The old password works until the link is used.`,
    button: 'Send link',
    danger: false,
    toNotice: (email) => `${email} gets a link to set a new password.`,
  },
  endAccountSessions: {
    toQuestion: (email) =>
      `Sign ${email} out on all devices? The password stays: if a stranger knows it, send a reset link too.`,
    button: 'Sign out',
    danger: true,
    toNotice: (email) => `${email} is signed out on all devices.`,
  },
  exportFoundAccount: {
    toQuestion: null,
    button: '',
    danger: false,
    toNotice: () => 'The file is saved.',
  },
};
