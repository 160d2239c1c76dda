import type { PrivateQuestion } from '#contract/private-questions.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { usePrivateDraft } from '#web/data/private-questions.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import { getText } from '#web/get-text.ts';
import { toPlainText } from '#web/markup/message-markup.ts';
import { Button } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { EntryAuthor } from '#web/ui/message-entry.tsx';
import { MessageText } from '#web/ui/message-text.tsx';
import { NeutralTile } from '#web/ui/neutral-tile.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import styles from './private-questions.module.css';

interface Props {
  turns: PrivateQuestion['turns'];
  /** The viewer answers. Otherwise the viewer asked. */
  isStaff: boolean;
  onReport: (target: ReportTarget) => void;
}

/** What both sides wrote. Each can report the other. */
export function PrivateTurns({ turns, isStaff, onReport }: Props) {
  return (
    <ol className="stack-m">
      {turns.map(({ turnId, turnPersona: persona, text }, n) => (
        <li key={turnId} className="stack-xs">
          {persona && (
            <EntryAuthor name={persona.anonymousName} icon={persona.icon} persona={persona} />
          )}
          {/* The summary names the author of the first one. */}
          {!persona && n > 0 && <Asker isStaff={isStaff} />}
          <div className={styles.turn}>
            <div className="grow typed" dir="auto">
              <MessageText text={text} tabIndex={0} />
            </div>
            {isStaff === (persona === null) && (
              <IconButton
                icon="flag"
                label={getText('chat.menu.report')}
                onClick={() => {
                  const summary = toPlainText(text, new Map());
                  onReport({ messageId: turnId, persona, summary });
                }}
              />
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

export function Asker({ isStaff }: { isStaff: boolean }) {
  return (
    <span className="row small strong">
      <NeutralTile size={20} />
      {isStaff ? getText('questions.private.someone') : getText('chat.reactions.you')}
    </span>
  );
}

interface FormProps {
  classId: string;
  questionId: string;
  /** Null: the asker writes. */
  staffName: string | null;
}

/** Writes the next turn. */
export function TurnForm({ classId, questionId, staffName }: FormProps) {
  const asStaff = staffName !== null;
  const draft = usePrivateDraft({
    // Staff may have asked it themselves.
    draftId: asStaff ? `${questionId}:staff` : questionId,
    send: (turnId, text) => {
      const params = { classId, questionId, turnId };
      return call('addPrivateTurn', { params, body: { text, asStaff } });
    },
  });
  return (
    <form
      className="stack-s"
      onSubmit={(event) => {
        event.preventDefault();
        draft.send();
      }}
    >
      <TextAreaField
        label={
          asStaff
            ? getText('questions.private.replyAs', { staffName })
            : getText('questions.private.add')
        }
        rows={2}
        dir="auto"
        value={draft.typedText}
        readOnly={draft.isPending}
        problem={draft.error && toErrorMessage(draft.error)}
        onChange={({ target }) => draft.change(target.value)}
      />
      <div>
        <Button type="submit" aria-disabled={!draft.isReady}>
          {asStaff ? getText('chat.menu.reply') : getText('chat.composer.send')}
        </Button>
      </div>
    </form>
  );
}
