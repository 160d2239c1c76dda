// Saves what the member chose for themselves: one change after the other, on top of what other devices saved.
import { RejectedError } from '#web/rejected-error.ts';
import { limits } from '#contract/limits.ts';
import type { Preferences } from '#contract/preferences.ts';
import type { RoomPreferences } from '#web/sync/room/room.ts';
import { call, toErrorMessage } from '../api.ts';
import { getText } from '#web/get-text.ts';

export type Choice =
  | { list: 'ignored' | 'hidden' | 'mutedTopics'; id: string; isOn: boolean }
  | { list: 'muted'; isOn: boolean };

export interface ChoiceTarget {
  classId: string;
  preferences: RoomPreferences;
  notify(notice: Notice): void;
}

interface Notice {
  text: string;
  action?: { label: string; run: () => void; isUndo?: boolean };
}

interface Queue {
  /** The choices that are not saved yet, oldest first. */
  choices: Choice[];
  last: Promise<unknown>;
}

const queues = new WeakMap<RoomPreferences, Queue>();
/** Each try starts from what another device has saved meanwhile. */
const maxTries = 5;

export async function savePreference(target: ChoiceTarget, choice: Choice): Promise<void> {
  const { preferences, notify } = target;
  const queue = queues.get(preferences) ?? { choices: [], last: Promise.resolve() };
  queues.set(preferences, queue);
  const nextPreferences = [...queue.choices, choice].reduce(applyChoice, preferences.saved());
  if (nextPreferences.ignored.length > limits.ignoredMembers) {
    return notify({ text: getText('error.TOO_MANY_IGNORED') });
  }
  queue.choices.push(choice);
  showUnsaved(preferences, queue);
  const undo = () => void savePreference(target, { ...choice, isOn: !choice.isOn });
  notify({
    text: toNotice(choice),
    action: { label: getText('common.undo'), run: undo, isUndo: true },
  });
  const done = queue.last.then(() => save(target, choice));
  queue.last = done.catch(() => undefined);
  try {
    await done;
  } catch (error) {
    const retry = () => void savePreference(target, choice);
    notify({
      text: getText('data.preference.failed', { error: toErrorMessage(error) }),
      action: { label: getText('common.retry'), run: retry },
    });
  } finally {
    queue.choices = queue.choices.filter((queuedChoice) => queuedChoice !== choice);
    showUnsaved(preferences, queue);
  }
}

function showUnsaved(preferences: RoomPreferences, { choices }: Queue): void {
  preferences.show(choices.length > 0 ? choices.reduce(applyChoice, preferences.saved()) : null);
}

async function save({ classId, preferences }: ChoiceTarget, choice: Choice): Promise<void> {
  const params = { classId };
  for (let tries = 1; ; tries++) {
    const { version, ...savedPreferences } = preferences.saved();
    try {
      const body = { ...applyChoice(savedPreferences, choice), version };
      return preferences.receive(await call('savePreferences', { params, body }));
    } catch (error) {
      const isConflict = error instanceof RejectedError && error.code === 'PREFERENCES_CHANGED';
      if (!isConflict || tries === maxTries) throw error;
      preferences.receive(await call('readPreferences', { params }));
    }
  }
}

/** If too many messages are hidden, the oldest ones are shown again. */
function applyChoice(preferences: Preferences, choice: Choice): Preferences {
  const { ignored, hidden, muted, mutedTopics } = preferences;
  const current = { ignored, hidden, muted, ...(mutedTopics && { mutedTopics }) };
  if (choice.list === 'muted') return { ...current, muted: choice.isOn };
  const ids = (current[choice.list] ?? []).filter((id) => id !== choice.id);
  if (choice.isOn) ids.push(choice.id);
  return {
    ...current,
    [choice.list]: choice.list === 'hidden' ? ids.slice(-limits.hiddenMessages) : ids,
  };
}

function toNotice({ list, isOn }: Choice): string {
  const texts = {
    ignored: [getText('data.preference.ignored'), getText('data.preference.notIgnored')],
    hidden: [getText('data.preference.hidden'), getText('data.preference.notHidden')],
    mutedTopics: [getText('topics.muted'), getText('topics.unmuted')],
    muted: [getText('data.preference.muted'), getText('data.preference.notMuted')],
  } as const;
  return texts[list][isOn ? 0 : 1];
}
