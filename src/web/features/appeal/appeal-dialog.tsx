import { useQueryClient } from '@tanstack/react-query';
import { limits } from '#contract/limits.ts';
import type { OwnSanction } from '#contract/moderation.ts';
import { guardReload } from '#web/data/reload-guard.ts';
import { refreshCalls, useCommand } from '#web/data/use-call.ts';
import { formatCount } from '#web/format.ts';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';

interface Props {
  sanction: OwnSanction;
  onClose: () => void;
}

/** The unsent text of each sanction's appeal. A dialog that closes keeps its text. */
const drafts = new Map<string, string>();
guardReload(() => [...drafts.values()].some((text) => text !== ''));

/** Sends one appeal. If the server rejects it, the text stays. */
export function AppealDialog({ sanction: { sanctionId, kind }, onClose }: Props) {
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
      text: text.trim() === '' ? 'Please write why you disagree.' : findLengthProblem(text),
    }),
    onChange: ({ text }) => drafts.set(sanctionId, text),
    onSubmit: ({ text }) => sending.mutate({ params: { sanctionId }, body: { text: text.trim() } }),
  });
  const length = countCharacters(form.fields.text);
  return (
    <FormDialog
      title="Appeal"
      text={
        kind === 'suspension'
          ? 'You can appeal once. Operators read it. They see which anonymous name it is about, but not who you are.'
          : 'You can appeal once. If possible, another moderator decides about it. They see your anonymous name, but not who you are.'
      }
      submitLabel="Send appeal"
      pendingLabel="Sending…"
      form={form}
      onCancel={onClose}
    >
      <TextAreaField
        label="Why do you disagree?"
        hint={
          length > limits.appealText - 200
            ? `${formatCount(length)} / ${formatCount(limits.appealText)}`
            : 'Write nothing that shows who you are.'
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

const countCharacters = (text: string) => Array.from(text.trim()).length;

function findLengthProblem(text: string): string | null {
  if (countCharacters(text) <= limits.appealText) return null;
  return `At most ${formatCount(limits.appealText)} characters. Please shorten the text.`;
}
