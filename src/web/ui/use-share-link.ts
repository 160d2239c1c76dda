import { useCallback } from 'react';
import { getText } from '#web/get-text.ts';
import { copyText } from '#web/ui/copy-text.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';

/** Shares the link of a class: with the native share sheet if the browser has one, else over the clipboard. */
export function useShareLink(): (classId: string, label: string) => Promise<void> {
  const { alert } = useDialogs();
  return useCallback(
    async (classId, label) => {
      const link = `${location.origin}/home/${classId}`;
      if ('share' in navigator) {
        try {
          await navigator.share({ title: label, url: link });
          return;
        } catch (error) {
          if (error instanceof DOMException && error.name === 'AbortError') return;
        }
      }
      await alert(
        (await copyText(link))
          ? getText('ui.share.copied', { link })
          : getText('ui.share.byHand', { link }),
      );
    },
    [alert],
  );
}
