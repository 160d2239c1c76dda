import { useState } from 'react';
import { browserErrors } from '#contract/browser-errors.ts';
import { limits } from '#contract/limits.ts';
import type { Case } from '#contract/moderation.ts';
import { toShownName } from '#contract/persona-name.ts';
import { toErrorMessage } from '#web/api.ts';
import { useCommand } from '#web/data/use-call.ts';
import { moderationCalls } from '../moderation.ts';
import { site } from '#web/site.ts';
import { useNotify } from '#web/ui/notices.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import { PasswordFormDialog } from './password-form-dialog.tsx';

interface Props {
  caseDetails: Case;
  onClose: () => void;
}

/** Opens a request. A wrong password keeps the reason. */
export function RequestDialog({ caseDetails, onClose }: Props) {
  const notify = useNotify();
  const requesting = useCommand('requestUnmasking', { refreshes: moderationCalls });
  const [reason, setReason] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isReasonRejected, setIsReasonRejected] = useState(false);
  const [isPasswordRejected, setIsPasswordRejected] = useState(false);
  const length = Array.from(reason.trim()).length;
  const submit = () => {
    const isReasonWrong = length < limits.unmaskingReasonMin || length > limits.decisionReason;
    const isPasswordMissing = !password && !site.signOnLabel;
    setIsReasonRejected(isReasonWrong);
    setIsPasswordRejected(isPasswordMissing);
    if (isReasonWrong || isPasswordMissing) return;
    setError(null);
    requesting.mutate(
      { params: { caseId: caseDetails.caseId }, body: { reason: reason.trim(), password } },
      {
        onSuccess() {
          notify({ text: 'The request is open for 24 hours. All operators get a mail.' });
          onClose();
        },
        onError: (failure) => setError(toErrorMessage(failure)),
      },
    );
  };
  return (
    <PasswordFormDialog
      title="Request to unmask"
      text={`This asks another operator to agree that ${toShownName(caseDetails.persona)} in ${caseDetails.label} is unmasked. The request, your name and the reason stay in the audit log for good, and all operators get a mail.`}
      submitLabel={requesting.isPending ? 'Sending…' : 'Send request'}
      isPending={requesting.isPending}
      error={error}
      password={password}
      isPasswordMissing={isPasswordRejected}
      onPassword={setPassword}
      onSubmit={submit}
      onCancel={onClose}
    >
      <TextAreaField
        label="Legal ground"
        hint={
          length > limits.decisionReason - 100
            ? `${length} / ${limits.decisionReason}`
            : 'Such as the court and the number of its order. At least 20 characters.'
        }
        problem={isReasonRejected ? browserErrors.UNMASKING_REASON.message : null}
        data-first-focus
        rows={3}
        dir="auto"
        value={reason}
        onChange={({ target }) => {
          setReason(target.value);
          setIsReasonRejected(false);
        }}
      />
    </PasswordFormDialog>
  );
}
