// The list of topics that staff keep: new names, other names, another order, and which can no longer be chosen.
import { limits } from '#contract/limits.ts';
import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import styles from './topics-dialog.module.css';

interface Props {
  classId: string;
  room: Room;
  onClose: () => void;
}

interface Row {
  key: string;
  topicId?: string;
  name: string;
  archived: boolean;
}

const createRow = (): Row => ({ key: crypto.randomUUID(), name: '', archived: false });

export function TopicsDialog({ classId, room, onClose }: Props) {
  const notify = useNotify();
  const saving = useCommand('changeTopics', {
    onSuccess() {
      notify({ text: getText('topics.saved') });
      onClose();
    },
  });
  const form = useForm({
    fields: () => {
      const { version, topics = [] } = room.getSnapshot().settings;
      const known = topics.map(({ topicId, name, archived = false }) => {
        return { key: topicId, topicId, name, archived };
      });
      return { version, rows: [...known, ...(known.length === 0 ? [createRow()] : [])] as Row[] };
    },
    command: saving,
    onSubmit({ version, rows }) {
      const latest = room.getSnapshot().settings;
      // After an error, the list also keeps what others have added meanwhile.
      const added = saving.isError
        ? (latest.topics ?? []).filter(({ topicId }) =>
            rows.every((row) => row.topicId !== topicId),
          )
        : [];
      const topics = rows
        // A new row without a name is no topic.
        .filter(({ topicId, name }) => topicId !== undefined || name.trim() !== '')
        .map(({ topicId, name, archived }) => ({
          ...(topicId !== undefined && { topicId }),
          name,
          ...(archived && { archived: true as const }),
        }));
      saving.mutate({
        params: { classId },
        body: {
          version: saving.isError ? latest.version : version,
          topics: [...topics, ...added],
        },
      });
    },
  });
  const { rows } = form.fields;
  const change = (n: number, part: Partial<Row>) => {
    const row = rows[n];
    if (row) form.change({ rows: rows.with(n, { ...row, ...part }) });
  };
  const moveUp = (n: number) => {
    const row = rows[n];
    if (row) form.change({ rows: rows.toSpliced(n, 1).toSpliced(n - 1, 0, row) });
  };
  return (
    <FormDialog
      title={getText('topics.label')}
      text={getText('topics.dialog.lead')}
      submitLabel={getText('common.save')}
      pendingLabel={getText('common.saving')}
      form={form}
      onCancel={onClose}
    >
      <ol className={styles.rows}>
        {rows.map(({ key, name, archived }, n) => (
          <li key={key} className={styles.row} data-archived={archived || undefined}>
            <input
              className={styles.name}
              aria-label={getText('topics.dialog.name', { number: n + 1 })}
              placeholder={getText('topics.dialog.placeholder')}
              dir="auto"
              autoComplete="off"
              maxLength={limits.topicName}
              value={name}
              onChange={({ target }) => change(n, { name: target.value })}
            />
            <IconButton
              icon="up"
              label={getText('topics.dialog.up', { name })}
              disabled={n === 0}
              onClick={() => moveUp(n)}
            />
            <IconButton
              icon={archived ? 'eyeOff' : 'eye'}
              label={getText('topics.dialog.archive', { name })}
              aria-pressed={archived}
              onClick={() => change(n, { archived: !archived })}
            />
          </li>
        ))}
      </ol>
      {rows.length < limits.topics && (
        <Button onClick={() => form.change({ rows: [...rows, createRow()] })}>
          {getText('topics.dialog.add')}
        </Button>
      )}
    </FormDialog>
  );
}
