// Asks for a passkey or a recovery code when a call needs the second factor. It has a root of its own, because any call can need it.
import { startAuthentication } from '@simplewebauthn/browser';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { call } from '#web/api.ts';
import { getText } from '#web/get-text.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { TextField } from '#web/ui/text-field.tsx';

/** @returns whether the person proved the factor */
export function confirmFactor(): Promise<boolean> {
  return new Promise((resolve) => {
    const host = document.createElement('div');
    document.body.append(host);
    const root = createRoot(host);
    const finish = (isProved: boolean) => {
      root.unmount();
      host.remove();
      resolve(isProved);
    };
    root.render(<FactorDialog onFinish={finish} />);
  });
}

async function proveByPasskey(): Promise<void> {
  const { challenge, passkeyHost, credentialIds } = await call('startProof', {});
  const { id, response } = await askAuthenticator({
    challenge,
    rpId: passkeyHost,
    allowCredentials: credentialIds.map((credentialId) => ({
      id: credentialId,
      type: 'public-key',
    })),
    userVerification: 'preferred',
  });
  const { clientDataJSON, authenticatorData, signature } = response;
  await call('proveFactor', {
    body: { credentialId: id, clientData: clientDataJSON, authenticatorData, signature },
  });
}

/** @throws {RejectedError} also if the person cancels: browsers do not tell why they have no answer */
async function askAuthenticator(
  optionsJSON: Parameters<typeof startAuthentication>[0]['optionsJSON'],
) {
  try {
    return await startAuthentication({ optionsJSON });
  } catch {
    throw new RejectedError('FACTOR_WRONG', getText('error.FACTOR_WRONG'));
  }
}

const focusField = (field: HTMLInputElement | null) => field?.focus();

function FactorDialog({ onFinish }: { onFinish: (isProved: boolean) => void }) {
  const [usesCode, setUsesCode] = useState(false);
  const [command, setCommand] = useState<{ isPending: boolean; error: Error | null }>({
    isPending: false,
    error: null,
  });
  const run = async (prove: () => Promise<unknown>) => {
    setCommand({ isPending: true, error: null });
    try {
      await prove();
      onFinish(true);
    } catch (error) {
      setCommand({ isPending: false, error: error as Error });
    }
  };
  const form = useForm({
    fields: { recoveryCode: '' },
    command: { ...command, reset: () => setCommand({ isPending: false, error: null }) },
    findProblems: ({ recoveryCode }) => ({
      recoveryCode:
        usesCode && recoveryCode.trim() === '' ? getText('secondFactor.code.missing') : null,
    }),
    findWrongField: () => (usesCode ? 'recoveryCode' : null),
    onSubmit: (body) =>
      void run(() => (usesCode ? call('proveFactor', { body }) : proveByPasskey())),
  });
  return (
    <FormDialog
      title={getText('secondFactor.title')}
      text={getText('secondFactor.text')}
      submitLabel={
        usesCode ? getText('secondFactor.code.submit') : getText('secondFactor.passkey.submit')
      }
      pendingLabel={getText('secondFactor.pending')}
      startsOnSubmit
      form={form}
      onCancel={() => onFinish(false)}
    >
      {usesCode && (
        <TextField
          label={getText('secondFactor.code.label')}
          hint={getText('secondFactor.code.hint')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          dir="ltr"
          ref={focusField}
          {...form.bind('recoveryCode')}
        />
      )}
      <p>
        <TextButton
          aria-disabled={form.isPending}
          onClick={() => {
            form.change({ recoveryCode: '' });
            setUsesCode(!usesCode);
          }}
        >
          {usesCode ? getText('secondFactor.usePasskey') : getText('secondFactor.useCode')}
        </TextButton>
      </p>
    </FormDialog>
  );
}
