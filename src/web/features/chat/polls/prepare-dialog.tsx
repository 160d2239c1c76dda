// Prepares a poll or a question for a lecture: only the member of staff sees it until opening it.
import { useState } from 'react';
import type { PreparedItem } from '#contract/lectures.ts';
import { toErrorMessage } from '#web/api.ts';
import type { PollDraft } from '#web/data/drafts.ts';
import { useCommand } from '#web/data/use-call.ts';
import { createMessageId } from '#web/sync/outbox/outbox.ts';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import {
  findOptionsProblem,
  findQuestionProblem,
  listFilled,
  PollFields,
  withLecture,
} from './poll-fields.tsx';

interface Props {
  classId: string;
  /** What is changed. Null: a new one. */
  item: PreparedItem | null;
  onClose: () => void;
}

export function PrepareDialog({ classId, item, onClose }: Props) {
  const [draft, setDraft] = useState(() => toDraft(item));
  const [messageId] = useState(() => item?.messageId ?? createMessageId());
  /** The last attempt was incomplete. */
  const [isRejected, setIsRejected] = useState(false);
  const saving = useCommand('savePrepared', {
    refreshes: ['readPreparation'],
    onSuccess: onClose,
  });
  const { question, options, several, resultsAfter, closing } = draft;
  const filledOptions = listFilled(options);
  const problems = {
    question: findQuestionProblem(question),
    options: filledOptions.length > 0 ? findOptionsProblem(filledOptions) : null,
  };
  const submit = () => {
    setIsRejected(true);
    if (problems.question !== null || problems.options !== null) return;
    const minutes = closing === withLecture ? 0 : Number(closing);
    const poll =
      filledOptions.length > 0 ? { options: filledOptions, several, resultsAfter, minutes } : null;
    saving.mutate({ params: { classId, messageId }, body: { text: question.trim(), poll } });
  };
  return (
    <FormDialog
      title="Prepare a poll"
      text="Only you see it until you open it. Without options, it is a question."
      submitLabel="Save"
      isPending={saving.isPending}
      error={saving.isError ? toErrorMessage(saving.error) : null}
      onSubmit={submit}
      onCancel={onClose}
    >
      <PollFields
        draft={draft}
        problems={isRejected ? problems : { question: null, options: null }}
        hasLecture
        onChange={(changes) => setDraft({ ...draft, ...changes })}
      />
    </FormDialog>
  );
}

function toDraft(item: PreparedItem | null): PollDraft {
  const { options = [], several = false, resultsAfter = 'vote', minutes = 0 } = item?.poll ?? {};
  return {
    startText: '',
    question: item?.text ?? '',
    options: options.length === 0 ? ['', ''] : [...options, ''].slice(0, 8),
    several,
    resultsAfter,
    closing: minutes === 0 ? withLecture : String(minutes),
    closesAt: '',
  };
}
