import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ClassSettings } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import { isOver, type QuietTime } from '#contract/quiet-times.ts';
import { toErrorMessage } from '#web/api.ts';
import { toClassSettingsKey } from '#web/data/class-settings.ts';
import { type SettingsDraft, settingsDrafts } from '#web/data/drafts.ts';
import { getText } from '#web/get-text.ts';
import {
  listConflicts,
  type Field,
  type Fields,
  saveChanges,
  applyChanges,
} from './settings-changes.ts';
import { wordQuietTimeProblem } from './word-quiet-time-problem.ts';

interface Options {
  classId: string;
  /** What the class has now. */
  current: ClassSettings;
  /** The time of the server. */
  serverNow: () => number;
  onSaving: (isSaving: boolean) => void;
  onSaved: () => void;
}

/** A moderator's unsaved changes of a class. They stay until they are saved or canceled. */
export function useSettingsDraft({ classId, current, serverNow, onSaving, onSaved }: Options) {
  const client = useQueryClient();
  const [draft, setDraft] = useState(
    () => settingsDrafts.get(classId) ?? { base: current, changes: {} },
  );
  const [problem, setProblem] = useState<string | null>(null);
  const shownSettings = applyChanges(current, draft);
  const saving = useMutation({
    mutationFn: () => saveChanges(classId, current, draft, serverNow),
    onMutate: () => onSaving(true),
    onSettled: () => {
      onSaving(false);
      void client.invalidateQueries({ queryKey: ['class', classId] });
    },
    onSuccess: onSaved,
    onError: (error) => {
      setProblem(toErrorMessage(error));
      void client.invalidateQueries({ queryKey: toClassSettingsKey(classId) });
    },
  });
  const update = (next: SettingsDraft) => {
    // It would be thrown away as if it was saved, too.
    if (saving.isPending) return;
    setDraft(next);
    setProblem(null);
    settingsDrafts.set(classId, next);
  };
  return {
    shownSettings,
    /** The fields that another moderator has changed, too. */
    conflicts: listConflicts(current, draft, serverNow()),
    problem,
    change(fields: Partial<Fields>) {
      update({ ...draft, changes: { ...draft.changes, ...fields } });
    },
    acceptOtherChange(field: Field) {
      const { [field]: _, ...changes } = draft.changes;
      update({ base: draft.base, changes });
    },
    save() {
      if (saving.isPending) return;
      const draftProblem = findProblem(shownSettings, draft.changes.quietTimes ?? [], serverNow());
      if (draftProblem === null) saving.mutate();
      else setProblem(draftProblem);
    },
  };
}

/** @returns what the server would reject or leave out, or null */
function findProblem(
  { description, rules }: ClassSettings,
  changedQuietTimes: readonly QuietTime[],
  now: number,
): string | null {
  for (const [index, quietTime] of changedQuietTimes.entries()) {
    const overText = getText('classSettings.quietTime.over');
    const problem = wordQuietTimeProblem(quietTime) ?? (isOver(quietTime, now) ? overText : null);
    if (problem !== null) {
      return getText('classSettings.quietTime.problem', { number: index + 1, problem });
    }
  }
  const isTooLong = [description, rules].some((text) => text.trim().length > limits.classText);
  return isTooLong ? getText('classSettings.texts.tooLong') : null;
}
