import { getText } from '#web/get-text.ts';
import { limits } from '#contract/limits.ts';
import type { Case } from '#contract/moderation.ts';
import { toShownName } from '#contract/persona-name.ts';
import { useCommand } from '#web/data/use-call.ts';
import { moderationCalls } from '../moderation.ts';
import { useForm } from '#web/ui/form.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import { findPasswordProblem, PasswordFormDialog } from './password-form-dialog.tsx';

interface Props {
  caseDetails: Case;
  onClose: () => void;
}

/** Opens a request. A wrong password keeps the reason. */
export function RequestDialog({ caseDetails, onClose }: Props) {
  const notify = useNotify();
  const requesting = useCommand('requestUnmasking', {
    refreshes: moderationCalls,
    onSuccess() {
      notify({ text: 'The request is open for 24 hours. All operators get a mail.' });
      onClose();
    },
  });
  const form = useForm({
    fields: { reason: '', password: '' },
    command: requesting,
    findProblems: ({ reason, password }) => {
      const length = countCharacters(reason);
      const hasLength = length >= limits.unmaskingReasonMin && length <= limits.decisionReason;
      return {
        reason: hasLength ? null : getText('error.UNMASKING_REASON'),
        password: findPasswordProblem(password),
      };
    },
    onSubmit: ({ reason, password }) =>
      requesting.mutate({
        params: { caseId: caseDetails.caseId },
        body: { reason: reason.trim(), password },
      }),
  });
  const length = countCharacters(form.fields.reason);
  return (
    <PasswordFormDialog
      title="Request to unmask"
      text={`This asks another operator to agree that ${toShownName(caseDetails.persona)} in ${caseDetails.label} is unmasked. The request, your name and the reason stay in the audit log for good, and all operators get a mail.`}
      submitLabel="Send request"
      pendingLabel="Sending…"
      form={form}
      passwordProps={form.bind('password')}
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
        {...form.bind('reason')}
      />
    </PasswordFormDialog>
  );
}

const countCharacters = (text: string) => Array.from(text.trim()).length;
