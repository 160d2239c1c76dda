// What moderators set for a class, with its pinned messages.
import { useQuery } from '@tanstack/react-query';
import type { ClassSettings } from '#contract/entities.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { call } from '#web/api.ts';

export const toClassSettingsKey = (classId: string) => ['class', classId, 'settings'];

/** @param knownSettings the settings that the room has. If they change, the query reads again. */
export function useClassSettings(classId: string, knownSettings: ClassSettings) {
  return useQuery({
    queryKey: [...toClassSettingsKey(classId), knownSettings.version, knownSettings.pins],
    queryFn: () => call('readClassSettings', { params: { classId } }),
    placeholderData: (previousSettings) => previousSettings,
    staleTime: 0,
  });
}

const attempts = 3;

/**
 * Changes the pins as they are now. If another moderator changes the settings meanwhile, the function tries again,
 * because a pin does not depend on the other settings.
 *
 * @throws {RejectedError | NetworkError}
 */
export async function changePins(
  classId: string,
  change: (pins: readonly string[]) => readonly string[],
): Promise<void> {
  const params = { classId };
  for (let attempt = 1; ; attempt++) {
    const { settings } = await call('readClassSettings', { params });
    const body = { version: settings.version, pins: [...change(settings.pins)] };
    try {
      await call('changeClassSettings', { params, body });
      return;
    } catch (error) {
      const isChanged = error instanceof RejectedError && error.code === 'SETTINGS_CHANGED';
      if (!isChanged || attempt === attempts) throw error;
    }
  }
}
