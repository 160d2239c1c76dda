import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { limits } from '#contract/limits.ts';
import type { OwnSanction } from '#contract/moderation.ts';
import { toErrorMessage } from '#web/api.ts';
import { guardReload } from '#web/data/reload-guard.ts';
import { refreshCalls, useCommand } from '#web/data/use-call.ts';
import { formatCount } from '#web/format.ts';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { FormField, toControlProps } from '#web/ui/form-field.tsx';
import styles from './appeal.module.css';

interface Props {
  sanction: OwnSanction;
  onClose: () => void;
}

/** The unsent text of each sanction's appeal. A dialog that closes keeps its text. */
const drafts = new Map<string, string>();
guardReload(() => [...drafts.values()].some((text) => text !== ''));

/** Sends one appeal. If the server rejects it, the text stays. */
export function AppealDialog({ sanction: { sanctionId, kind }, onClose }: Props) {
  const id = useId();
  const client = useQueryClient();
  const sending = useCommand('appeal', {
    // The dialog stays until the button that opened it is gone.
    onSuccess: () => refreshCalls(client, ['listOwnSanctions']),
  });
  const [text, setText] = useState(drafts.get(sanctionId) ?? '');
  const [error, setError] = useState<string | null>(null);
  /** The last attempt was rejected because the text was missing. */
  const [isRejected, setIsRejected] = useState(false);
  const length = Array.from(text.trim()).length;
  const isTooLong = length > limits.appealText;
  const findProblem = () => {
    if (isTooLong) {
      return `At most ${formatCount(limits.appealText)} characters. Please shorten the text.`;
    }
    return isRejected && length === 0 ? 'Please write why you disagree.' : null;
  };
  const texts = {
    hint:
      length > limits.appealText - 200
        ? `${formatCount(length)} / ${formatCount(limits.appealText)}`
        : 'Write nothing that shows who you are.',
    problem: findProblem(),
  };
  const submit = () => {
    setIsRejected(length === 0);
    if (isTooLong || length === 0) return;
    setError(null);
    sending.mutate(
      { params: { sanctionId }, body: { text: text.trim() } },
      {
        onSuccess() {
          drafts.delete(sanctionId);
          onClose();
        },
        onError: (failure) => setError(toErrorMessage(failure)),
      },
    );
  };
  return (
    <FormDialog
      title="Appeal"
      text={
        kind === 'suspension'
          ? 'You can appeal once. Operators read it. They see which anonymous name it is about, but not who you are.'
          : 'You can appeal once. If possible, another moderator decides about it. They see your anonymous name, but not who you are.'
      }
      submitLabel={sending.isPending ? 'Sending…' : 'Send appeal'}
      isPending={sending.isPending}
      error={error}
      onSubmit={submit}
      onCancel={onClose}
    >
      <FormField id={id} label="Why do you disagree?" {...texts}>
        <textarea
          {...toControlProps(id, texts)}
          className={styles.text}
          rows={5}
          dir="auto"
          data-first-focus
          value={text}
          onChange={({ target: { value } }) => {
            drafts.set(sanctionId, value);
            setText(value);
            setError(null);
          }}
        />
      </FormField>
    </FormDialog>
  );
}
