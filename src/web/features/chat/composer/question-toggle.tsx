import type { RefObject } from 'react';
import { saveQuestionDraft } from '#web/data/drafts.ts';
import { getText } from '#web/get-text.ts';
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
  isQuestion: boolean;
  field: RefObject<HTMLTextAreaElement | null>;
  /** Moves the focus to the field, because the member types next. */
  onToggle: () => void;
}

/** Asks the draft as a question. What is offered above the field depends on it. */
export function QuestionToggle(props: Props) {
  const { classId, text, isQuestion, onToggle } = props;
  return (
    <>
      <IconButton
        icon="question"
        label={getText('chat.composer.askAsQuestion')}
        aria-pressed={isQuestion}
        onClick={() => {
          saveQuestionDraft(classId, !isQuestion);
          onToggle();
        }}
      />
      {text && (
        <OnDemand code={questionOffers} isQuiet>
          {({ QuestionOffers }) => <QuestionOffers {...props} />}
        </OnDemand>
      )}
    </>
  );
}
