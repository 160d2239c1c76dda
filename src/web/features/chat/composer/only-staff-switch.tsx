import { flushSync } from 'react-dom';
import { loadDraft, saveDraft, saveQuestionDraft, toPrivateDraft } from '#web/data/drafts.ts';
import { getText } from '#web/get-text.ts';
import type { ComposerOptions } from './use-composer.ts';
import styles from './composer.module.css';

interface Props extends Pick<ComposerOptions, 'classId' | 'field'> {
  isOn: boolean;
  disabled?: boolean;
}

/** Chooses whether only staff read the question. The text moves to the other draft, and the other composer takes the focus. */
export function OnlyStaffSwitch({ classId, field, isOn, disabled }: Props) {
  return (
    <button
      type="button"
      className={styles.onlyStaff}
      aria-pressed={isOn}
      aria-disabled={disabled}
      onClick={() => {
        if (disabled) return;
        const privateDraft = toPrivateDraft(classId);
        flushSync(() =>
          isOn ? moveDraft(privateDraft, classId) : moveDraft(classId, privateDraft),
        );
        field.current?.focus({ preventScroll: true });
      }}
    >
      {getText('chat.private.switch')}
    </button>
  );
}

/** What is in the other draft meanwhile, such as a mention, stays before it. */
function moveDraft(from: string, to: string): void {
  saveQuestionDraft(to, true);
  saveDraft(to, [loadDraft(to), loadDraft(from)].filter((text) => text !== '').join('\n'));
  saveQuestionDraft(from, false);
  saveDraft(from, '');
}
