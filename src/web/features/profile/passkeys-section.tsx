import { startRegistration } from '@simplewebauthn/browser';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Passkey } from '#contract/second-factor.ts';
import { limits } from '#contract/limits.ts';
import { call } from '#web/api.ts';
import { useMe } from '#web/data/session.ts';
import { refreshCalls, useCall } from '#web/data/use-call.ts';
import { formatPastDay } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { ProfileSection } from './profile-section.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import styles from './profile-screen.module.css';

/** What the password confirms. */
type Change = { kind: 'add' } | { kind: 'newCodes' } | { kind: 'remove'; passkey: Passkey };

/** The second factor of operators and moderators. */
export function PasskeysSection({ canAdd }: { canAdd: boolean }) {
  const notify = useNotify();
  const [change, setChange] = useState<Change | null>(null);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const query = useCall('listPasskeys', {}, { gcTime: 0 });
  const { passkeys = [], codesLeft = 0 } = query.data ?? {};
  return (
    <ProfileSection
      title={getText('profile.passkeys.title')}
      lead={getText('profile.passkeys.lead')}
      query={query}
    >
      {passkeys.length > 0 && (
        <>
          <ul className={styles.devices} aria-label={getText('profile.passkeys.title')}>
            {passkeys.map((passkey) => (
              <PasskeyRow
                key={passkey.passkeyId}
                passkey={passkey}
                onRemove={() => setChange({ kind: 'remove', passkey })}
              />
            ))}
          </ul>
          <p className="muted">{getText('profile.passkeys.codesLeft', { count: codesLeft })}</p>
        </>
      )}
      <div className="wrap">
        {canAdd && query.data && passkeys.length < limits.passkeys && (
          <Button onClick={() => setChange({ kind: 'add' })}>
            {getText('profile.passkeys.add')}
          </Button>
        )}
        {passkeys.length > 0 && (
          <Button onClick={() => setChange({ kind: 'newCodes' })}>
            {getText('profile.passkeys.newCodes')}
          </Button>
        )}
      </div>
      {change && (
        <ChangeDialog
          change={change}
          onClose={() => setChange(null)}
          onDone={(newCodes) => {
            setChange(null);
            setCodes(newCodes);
            if (newCodes.length === 0) notify({ text: getText('profile.passkeys.done') });
          }}
        />
      )}
      {codes.length > 0 && <RecoveryCodesDialog codes={codes} onClose={() => setCodes([])} />}
    </ProfileSection>
  );
}

function PasskeyRow({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const { passkeyName: name, addedDay } = passkey;
  return (
    <li className={styles.device}>
      <div>
        <p className="medium" dir="auto">
          {name}
        </p>
        <p className="meta">
          {getText('profile.passkeys.added', { day: formatPastDay(addedDay) })}
        </p>
      </div>
      <span className="end">
        <Button aria-label={getText('profile.passkeys.removeNamed', { name })} onClick={onRemove}>
          {getText('common.remove')}
        </Button>
      </span>
    </li>
  );
}

interface ChangeDialogProps {
  change: Change;
  onClose: () => void;
  /** @param newCodes recovery codes that the account got */
  onDone: (newCodes: readonly string[]) => void;
}

function ChangeDialog({ change, onClose, onDone }: ChangeDialogProps) {
  const email = useMe().data?.account?.email ?? '';
  const isAddition = change.kind === 'add';
  const command = useMutation({
    mutationFn: (fields: Fields) => makeChange(change, fields, email),
    onSuccess: (newCodes) => onDone(newCodes),
    onSettled: (_data, _error, _fields, _result, { client }) =>
      void refreshCalls(client, ['listPasskeys']),
    gcTime: 0,
  });
  const form = useForm<Fields>({
    fields: { passkeyName: '', password: '' },
    command,
    findProblems: ({ passkeyName, password }) => ({
      passkeyName:
        isAddition && passkeyName.trim() === '' ? getText('profile.passkeys.nameMissing') : null,
      password: password ? null : getText('profile.password.missing'),
    }),
    findWrongField: (error) =>
      error instanceof RejectedError && error.code === 'WRONG_PASSWORD' ? 'password' : null,
    onSubmit: (fields) => command.mutate(fields),
  });
  const passkeyName = change.kind === 'remove' ? change.passkey.passkeyName : '';
  return (
    <FormDialog
      title={getText('profile.passkeys.change.title', { kind: change.kind })}
      text={getText('profile.passkeys.change.text', { kind: change.kind, name: passkeyName })}
      variant={change.kind === 'remove' ? 'danger' : 'primary'}
      submitLabel={getText('profile.passkeys.change.submit', { kind: change.kind })}
      form={form}
      onCancel={onClose}
    >
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      {isAddition && (
        <TextField
          label={getText('profile.passkeys.name')}
          hint={getText('profile.passkeys.nameHint')}
          maxLength={limits.passkeyName}
          autoComplete="off"
          data-first-focus
          {...form.bind('passkeyName')}
        />
      )}
      <PasswordField
        kind="current"
        data-first-focus={!isAddition || undefined}
        {...form.bind('password')}
      />
    </FormDialog>
  );
}

interface Fields {
  passkeyName: string;
  password: string;
}

/** @returns new recovery codes */
async function makeChange(
  change: Change,
  { passkeyName, password }: Fields,
  email: string,
): Promise<readonly string[]> {
  const body = { password };
  switch (change.kind) {
    case 'add':
      return addPasskey(passkeyName.trim(), password, email);
    case 'newCodes':
      return (await call('renewRecoveryCodes', { body })).recoveryCodes;
    case 'remove': {
      const { passkeyId } = change.passkey;
      await call('removePasskey', { params: { passkeyId }, body });
      return [];
    }
  }
}

async function addPasskey(passkeyName: string, password: string, email: string) {
  const { challenge, passkeyHost, credentialIds, key } = await call('startPasskey', {
    body: { password },
  });
  const { id, response } = await createPasskey({
    challenge,
    rp: { name: site.appName, id: passkeyHost },
    user: { id: key, name: email, displayName: '' },
    // ES256, EdDSA and RS256.
    pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
    excludeCredentials: credentialIds.map((credentialId) => ({
      id: credentialId,
      type: 'public-key',
    })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    attestation: 'none',
  });
  const { clientDataJSON, attestationObject } = response;
  const { recoveryCodes } = await call('addPasskey', {
    body: {
      passkeyName,
      credentialId: id,
      clientData: clientDataJSON,
      attestation: attestationObject,
    },
  });
  return recoveryCodes;
}

/** @throws {RejectedError} in the words of this site */
async function createPasskey(optionsJSON: Parameters<typeof startRegistration>[0]['optionsJSON']) {
  try {
    return await startRegistration({ optionsJSON });
  } catch {
    throw new RejectedError('FACTOR_WRONG', getText('profile.passkeys.failed'));
  }
}
