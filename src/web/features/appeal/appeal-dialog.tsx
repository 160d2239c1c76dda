import { useQueryClient } from '@tanstack/react-query';
import { limits } from '#contract/limits.ts';
import type { OwnSanction } from '#contract/moderation.ts';
import { guardReload } from '#web/data/reload-guard.ts';
import { refreshCalls, useCommand } from '#web/data/use-call.ts';
import { formatNumber, getText } from '#web/get-text.ts';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { LegalSummary } from '#web/ui/legal-summary.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';

interface Props {
  sanction: OwnSanction;
  onClose: () => void;
}

/** The unsent text of each sanction's appeal. A dialog that closes keeps its text. */
const drafts = new Map<string, string>();
guardReload(() => [...drafts.values()].some((text) => text !== ''));

/** Sends one appeal. If the server rejects it, the text stays. */
export function AppealDialog({ sanction, onClose }: Props) {
  const { sanctionId } = sanction;
  const client = useQueryClient();
  const sending = useCommand('appeal', {
    async onSuccess() {
      // The dialog stays until the button that opened it is gone.
      await refreshCalls(client, ['listOwnSanctions']);
      drafts.delete(sanctionId);
      onClose();
    },
  });
  const form = useForm({
    fields: { text: drafts.get(sanctionId) ?? '' },
    command: sending,
    findProblems: ({ text }) => ({
      text: text.trim() === '' ? getText('appeal.text.missing') : findLengthProblem(text),
    }),
    onChange: ({ text }) => drafts.set(sanctionId, text),
    onSubmit: ({ text }) => sending.mutate({ params: { sanctionId }, body: { text: text.trim() } }),
  });
  const length = countCharacters(form.fields.text);
  return (
    <FormDialog
      title={getText('appeal.title')}
      text={toLead(sanction)}
      submitLabel={getText('appeal.submit')}
      pendingLabel={getText('common.sending')}
      form={form}
      onCancel={onClose}
    >
      <LegalSummary text={getText('appeal.summary')} />
      <TextAreaField
        label={getText('appeal.text.label')}
        hint={
          length > limits.appealText - 200
            ? `${formatNumber(length)} / ${formatNumber(limits.appealText)}`
            : getText('legal.appeal.textHint')
        }
        rows={5}
        dir="auto"
        data-first-focus
        {...form.bind('text')}
        problem={form.problems.text ?? findLengthProblem(form.fields.text)}
      />
    </FormDialog>
  );
}

function toLead({ kind, private: isPrivate }: OwnSanction): string {
  if (isPrivate) return getText('legal.appeal.private');
  return kind === 'suspension'
    ? getText('legal.appeal.suspension')
    : getText('legal.appeal.sanction');
}

const countCharacters = (text: string) => Array.from(text.trim()).length;

function findLengthProblem(text: string): string | null {
  if (countCharacters(text) <= limits.appealText) return null;
  return getText('common.textTooLong', { max: limits.appealText });
}
