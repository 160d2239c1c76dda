import { limits } from '#contract/limits.ts';
import type { Case } from '#contract/moderation.ts';
import { toShownName } from '#contract/persona-name.ts';
import { useCommand } from '#web/data/use-call.ts';
import { moderationCalls } from '../moderation.ts';
import { getText } from '#web/get-text.ts';
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
  const { caseId, persona, label } = caseDetails;
  const notify = useNotify();
  const requesting = useCommand('requestUnmasking', {
    refreshes: moderationCalls,
    onSuccess() {
      notify({ text: getText('moderation.unmasking.request.done') });
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
        params: { caseId },
        body: { reason: reason.trim(), password },
      }),
  });
  const length = countCharacters(form.fields.reason);
  return (
    <PasswordFormDialog
      title={getText('moderation.unmasking.request.title')}
      text={getText('legal.unmasking.request', { name: toShownName(persona), className: label })}
      submitLabel={getText('moderation.unmasking.request.submit')}
      pendingLabel={getText('common.sending')}
      form={form}
      passwordProps={form.bind('password')}
      onCancel={onClose}
    >
      <TextAreaField
        label={getText('moderation.unmasking.ground.label')}
        hint={
          length > limits.decisionReason - 100
            ? `${length} / ${limits.decisionReason}`
            : getText('moderation.unmasking.ground.hint')
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
