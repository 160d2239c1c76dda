import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RejectedError } from '#web/rejected-error.ts';
import type { Case } from '#contract/moderation.ts';
import { toShownName } from '#contract/persona-name.ts';
import type { UnmaskingRequest } from '#contract/unmasking.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { refreshModeration } from '../moderation.ts';
import { getText } from '#web/get-text.ts';
import { useForm } from '#web/ui/form.tsx';
import { findPasswordProblem, PasswordFormDialog } from './password-form-dialog.tsx';
import styles from './unmasking.module.css';

interface Props {
  caseDetails: Case;
  request: UnmaskingRequest;
  onClose: () => void;
  onAddress: (address: string) => void;
}

/** Confirms another operator's request. No cache may keep the address, so the call itself hands it over. */
export function ConfirmDialog({ caseDetails, request, onClose, onAddress }: Props) {
  const client = useQueryClient();
  const { persona, label } = caseDetails;
  const { requestId, requestedBy, reason } = request;
  const confirming = useMutation({
    mutationFn: async (password: string) => {
      const reply = await call('confirmUnmasking', { params: { requestId }, body: { password } });
      onAddress(reply.address);
    },
    onSettled: () => void refreshModeration(client),
    // The cached call could keep the password.
    gcTime: 0,
  });
  const form = useForm({
    fields: { password: '' },
    command: confirming,
    findProblems: ({ password }) => ({ password: findPasswordProblem(password) }),
    onSubmit: ({ password }) => confirming.mutate(password),
  });
  return (
    <PasswordFormDialog
      title={getText('moderation.unmasking.confirm.title')}
      text={getText('legal.unmasking.confirm', { name: toShownName(persona), className: label })}
      submitLabel={getText('moderation.unmasking.confirm.submit')}
      pendingLabel={getText('moderation.unmasking.looking')}
      form={{ ...form, error: confirming.error && explain(confirming.error) }}
      passwordProps={form.bind('password')}
      onCancel={onClose}
    >
      <div className={styles.ground}>
        <p className="meta">
          {getRichText('moderation.unmasking.ground.given', { bdi: <bdi />, name: requestedBy })}
        </p>
        <p className={styles.reason} dir="auto">
          {reason}
        </p>
      </div>
      <ul className={styles.consequences}>
        <li>{getText('legal.unmasking.audit')}</li>
        <li>{getText('legal.unmasking.number')}</li>
        <li>{getText('legal.unmasking.once')}</li>
      </ul>
    </PasswordFormDialog>
  );
}

function explain(error: unknown): string {
  const message = toErrorMessage(error);
  if (error instanceof RejectedError) return message;
  return getText('moderation.unmasking.answerLost', { problem: message });
}
