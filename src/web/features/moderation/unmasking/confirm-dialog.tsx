import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import type { Case } from '#contract/moderation.ts';
import { toShownName } from '#contract/persona-name.ts';
import type { UnmaskingRequest } from '#contract/unmasking.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { refreshModeration } from '../moderation.ts';
import { site } from '#web/site.ts';
import { PasswordFormDialog } from './password-form-dialog.tsx';
import styles from './unmasking.module.css';

interface Props {
  caseDetails: Case;
  request: UnmaskingRequest;
  onClose: () => void;
  onAddress: (address: string) => void;
}

/** Confirms another operator's request. It calls the server itself, because a cache would keep the address. */
export function ConfirmDialog({ caseDetails, request, onClose, onAddress }: Props) {
  const client = useQueryClient();
  const { requestId, requestedBy, reason } = request;
  const [password, setPassword] = useState('');
  const [isPending, setIsPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [isRejected, setIsRejected] = useState(false);
  const confirm = async () => {
    const isPasswordMissing = !password && !site.signOnLabel;
    setIsRejected(isPasswordMissing);
    if (isPasswordMissing) return;
    setProblem(null);
    setIsPending(true);
    try {
      const reply = await call('confirmUnmasking', { params: { requestId }, body: { password } });
      onAddress(reply.address);
    } catch (error) {
      setProblem(explain(error));
      setIsPending(false);
    }
    void refreshModeration(client);
  };
  return (
    <PasswordFormDialog
      title="Unmask this person?"
      text={`The server finds the account of ${toShownName(caseDetails.persona)} in ${caseDetails.label} and shows you its email address: once, and only here.`}
      submitLabel={isPending ? 'Looking…' : 'Show the address'}
      isPending={isPending}
      error={problem}
      password={password}
      isPasswordMissing={isRejected}
      onPassword={setPassword}
      onSubmit={() => void confirm()}
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
