import type { RefObject } from 'react';
import { saveQuestionDraft, useQuestionDraft } from '#web/data/drafts.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import type { Room } from '#web/sync/room/room.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';

const questionOffers = createPreloadedModule(() => import('./question-offers.tsx'));

interface Props {
  classId: string;
  room: Room;
  /** The draft. */
  text: string;
  field: RefObject<HTMLTextAreaElement | null>;
}

/** Asks the draft as a question. What is offered above the field depends on it. */
export function QuestionToggle(props: Props) {
  const { classId, text } = props;
  const isQuestion = useQuestionDraft(classId);
  return (
    <>
      <IconButton
        icon="question"
        label="Ask as a question"
        aria-pressed={isQuestion}
        onClick={() => saveQuestionDraft(classId, !isQuestion)}
      />
      {text && (
        <OnDemand code={questionOffers} isQuiet>
          {({ QuestionOffers }) => <QuestionOffers {...props} isQuestion={isQuestion} />}
        </OnDemand>
      )}
    </>
  );
}
