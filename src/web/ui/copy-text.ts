import { useCallback } from 'react';
import { getText } from '#web/get-text.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';

/** @returns false if the clipboard is forbidden or missing, as on plain http away from localhost */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Copies a text and says so. If the clipboard is not available, shows the text instead. */
export function useCopyText(): (text: string) => Promise<void> {
  const { alert } = useDialogs();
  const notify = useNotify();
  return useCallback(
    async (text) => {
      if (await copyText(text)) notify({ text: getText('ui.copy.done') });
      else await alert(getText('ui.copy.byHand', { text }));
    },
    [alert, notify],
  );
}
