import { useState } from 'react';
import { browserErrors } from '#contract/browser-errors.ts';
import { limits } from '#contract/limits.ts';
import type { Case } from '#contract/moderation.ts';
import { toErrorMessage } from '#web/api.ts';
import { useRequestUnmasking } from './unmasking.ts';
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
  const requesting = useRequestUnmasking(caseDetails.caseId);
  const [reason, setReason] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const length = Array.from(reason.trim()).length;
  const submit = () => {
    if (length < limits.unmaskingReasonMin || length > limits.decisionReason) {
      return setProblem(browserErrors.UNMASKING_REASON.message);
    }
    if (!password && !site.signOnLabel) return setProblem('Please enter your password.');
    setProblem(null);
    requesting.mutate(
      { reason: reason.trim(), password },
      {
        onSuccess() {
          notify({ text: 'The request is open for 24 hours. All operators get a mail.' });
          onClose();
        },
        onError: (error) => setProblem(toErrorMessage(error)),
      },
    );
  };
  return (
    <PasswordFormDialog
      title="Request to unmask"
      text={`This asks another operator to agree that ${caseDetails.persona.anonymousName} in ${caseDetails.label} is unmasked. The request, your name and the reason stay in the audit log for good, and all operators get a mail.`}
      submitLabel={requesting.isPending ? 'Sending…' : 'Send request'}
      isPending={requesting.isPending}
      error={problem}
      password={password}
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
        data-first-focus
        rows={3}
        dir="auto"
        value={reason}
        onChange={({ target }) => {
          setReason(target.value);
          setProblem(null);
        }}
      />
    </PasswordFormDialog>
  );
}
