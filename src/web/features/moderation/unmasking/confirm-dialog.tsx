import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RejectedError } from '#web/rejected-error.ts';
import type { Case } from '#contract/moderation.ts';
import { toShownName } from '#contract/persona-name.ts';
import type { UnmaskingRequest } from '#contract/unmasking.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { refreshModeration } from '../moderation.ts';
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
      title="Unmask this person?"
      text={`The server finds the account of ${toShownName(caseDetails.persona)} in ${caseDetails.label} and shows you its email address: once, and only here.`}
      submitLabel="Show the address"
      pendingLabel="Looking…"
      form={{ ...form, error: confirming.error && explain(confirming.error) }}
      passwordProps={form.bind('password')}
      onCancel={onClose}
    >
      <div className={styles.ground}>
        <p className="meta">
          <bdi>{requestedBy}</bdi> gave this legal ground:
        </p>
        <p className={styles.reason} dir="auto">
          {reason}
        </p>
      </div>
      <ul className={styles.consequences}>
        <li>The audit log keeps both your names, the persona and the legal ground.</li>
        <li>The public number of unmaskings rises by one.</li>
        <li>The address is stored nowhere. To see it again takes a new request.</li>
      </ul>
    </PasswordFormDialog>
  );
}

function explain(error: unknown): string {
  const message = toErrorMessage(error);
  if (error instanceof RejectedError) return message;
  return `${message} If the request now counts as used, its answer was lost: open a new request.`;
}
