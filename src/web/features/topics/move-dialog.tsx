import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';

interface Props {
  classId: string;
  room: Room;
  message: Pick<RoomMessage, 'id' | 'topicId'>;
  onClose: () => void;
}

/** Moves a message to another topic, or out of its topic. */
export function MoveDialog({ classId, room, message, onClose }: Props) {
  const notify = useNotify();
  const { topics = [] } = room.getSnapshot().settings;
  const moving = useCommand('moveMessage', {
    onSuccess() {
      notify({ text: getText('topics.move.done') });
      onClose();
    },
  });
  const form = useForm({
    fields: { topicId: message.topicId ?? '' },
    command: moving,
    onSubmit: ({ topicId }) =>
      moving.mutate({
        params: { classId, messageId: message.id },
        body: { topicId: topicId || null },
      }),
  });
  return (
    <FormDialog
      title={getText('topics.move')}
      text={getText('topics.move.lead')}
      submitLabel={getText('topics.move.submit')}
      form={form}
      onCancel={onClose}
    >
      <SelectField label={getText('topics.topic')} {...form.bind('topicId')}>
        <option value="">{getText('topics.none')}</option>
        {topics
          .filter(({ topicId, archived }) => !archived || topicId === message.topicId)
          .map(({ topicId, name }) => (
            <option key={topicId} value={topicId}>
              {name}
            </option>
          ))}
      </SelectField>
    </FormDialog>
  );
}
