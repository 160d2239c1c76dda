// The settings of a class: moderators set slow mode, read-only, pictures, pinned messages, description and rules
// (`settings-form.tsx`), and members read them with the details of the class (`class-details.tsx`). Two moderators
// may change them at the same time, so `settings-changes.ts` saves only what one changed and says what the other
// changed meanwhile.
import { useId, useState } from 'react';
import { useClassSettings } from '#web/data/class-settings.ts';
import { settingsDrafts } from '#web/data/drafts.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useStore } from '#web/use-store.ts';
import { SettingsForm } from './settings-form.tsx';

interface Props {
  classId: string;
  label: string;
  room: Room;
  onClose: () => void;
}

/** Changes what moderators set for a class. Esc keeps what was typed until the dialog opens again. */
export function SettingsDialog({ classId, label, room, onClose }: Props) {
  const form = useId();
  const knownSettings = useStore(room, (snapshot) => snapshot.settings);
  const settingsQuery = useClassSettings(classId, knownSettings);
  const [isSaving, setIsSaving] = useState(false);
  const discardDraftAndClose = () => {
    settingsDrafts.delete(classId);
    onClose();
  };
  return (
    <Modal
      title={getText('classSettings.dialog.title', { className: label })}
      text={getText('classSettings.dialog.hint')}
      onDismiss={() => {
        if (!isSaving) onClose();
      }}
      actions={
        <>
          <Button aria-disabled={isSaving} onClick={discardDraftAndClose}>
            {getText('common.cancel')}
          </Button>
          <Button
            variant="primary"
            type="submit"
            form={form}
            aria-disabled={isSaving || !settingsQuery.data}
          >
            {isSaving ? getText('common.saving') : getText('common.save')}
          </Button>
        </>
      }
    >
      {settingsQuery.isPending && <SettingsSkeleton />}
      {settingsQuery.isError && !settingsQuery.data && (
        <QueryFailure className="stack-m start" query={settingsQuery} />
      )}
      {settingsQuery.data && (
        <SettingsForm
          id={form}
          classId={classId}
          label={label}
          classSettings={settingsQuery.data}
          serverNow={room.serverNow}
          onSaving={setIsSaving}
          onDone={discardDraftAndClose}
        />
      )}
    </Modal>
  );
}

function SettingsSkeleton() {
  return (
    <div className="stack" role="status" aria-label={getText('common.loadingStatus')}>
      <Skeleton width="40%" />
      <Skeleton width="100%" height={44} />
      <Skeleton width="60%" />
      <Skeleton width="100%" height={88} />
    </div>
  );
}
