// Prepares a poll or a question for a lecture: only the member of staff sees it until opening it.
import { useState } from 'react';
import type { PreparedItem } from '#contract/lectures.ts';
import type { PollDraft } from '#web/data/drafts.ts';
import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import { createMessageId } from '#web/sync/outbox/outbox.ts';
import { useForm } from '#web/ui/form.tsx';
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
  const [messageId] = useState(() => item?.messageId ?? createMessageId());
  const saving = useCommand('savePrepared', {
    refreshes: ['readPreparation'],
    onSuccess: onClose,
  });
  const form = useForm({
    fields: () => toDraft(item),
    command: saving,
    findProblems({ question, options }) {
      const filledOptions = listFilled(options);
      return {
        question: findQuestionProblem(question),
        options: filledOptions.length > 0 ? findOptionsProblem(filledOptions) : null,
      };
    },
    onSubmit({ question, options, several, resultsAfter, closing }) {
      const filledOptions = listFilled(options);
      const minutes = closing === withLecture ? 0 : Number(closing);
      const poll =
        filledOptions.length > 0
          ? { options: filledOptions, several, resultsAfter, minutes }
          : null;
      saving.mutate({ params: { classId, messageId }, body: { text: question.trim(), poll } });
    },
  });
  return (
    <FormDialog
      title={getText('chat.polls.prepare')}
      text={getText('chat.polls.prepareLead')}
      submitLabel={getText('common.save')}
      form={form}
      onCancel={onClose}
    >
      <PollFields draft={form.fields} problems={form.problems} hasLecture onChange={form.change} />
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
