import type { UseMutationResult } from '@tanstack/react-query';
import { getText } from '#web/get-text.ts';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { TextField } from '#web/ui/text-field.tsx';

interface Props {
  title: string;
  text: string;
  lifting: Pick<UseMutationResult, 'isPending' | 'error' | 'reset'>;
  onLift: (reason: string) => void;
  onClose: () => void;
}

/** Asks why a sanction is lifted. If the server rejects the call, the typed reason stays. */
export function LiftForm({ title, text, lifting, onLift, onClose }: Props) {
  const form = useForm({
    fields: { reason: '' },
    command: lifting,
    findProblems: ({ reason }) => ({
      reason: reason.trim() === '' ? getText('moderation.lift.reasonMissing') : null,
    }),
    onSubmit: ({ reason }) => onLift(reason.trim()),
  });
  return (
    <FormDialog
      title={title}
      text={text}
      submitLabel={getText('moderation.lift.submit')}
      pendingLabel={getText('common.saving')}
      form={form}
      onCancel={onClose}
    >
      <TextField
        label={getText('moderation.reason.label')}
        data-first-focus
        autoComplete="off"
        dir="auto"
        {...form.bind('reason')}
      />
    </FormDialog>
  );
}
