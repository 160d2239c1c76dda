import { toErrorMessage } from '#web/api.ts';
import { changePins } from '#web/data/class-settings.ts';
import { getText } from '#web/get-text.ts';

/** Pins the message at the end of the list, or unpins it. @returns what to tell the moderator */
export async function pin(classId: string, messageId: string, pinned: boolean): Promise<string> {
  try {
    await changePins(classId, (pins) => [
      ...pins.filter((pinnedId) => pinnedId !== messageId),
      ...(pinned ? [messageId] : []),
    ]);
    return pinned ? getText('chat.pins.pinned') : getText('chat.pins.unpinned');
  } catch (error) {
    return toErrorMessage(error);
  }
}
