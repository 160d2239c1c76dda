import { copyText } from '#web/ui/copy-text.ts';
import type { Dialogs } from '#web/ui/dialogs.tsx';

/** Opens the native share sheet if the browser has one, else copies to the clipboard. */
export async function shareClass(classId: string, label: string, dialogs: Dialogs): Promise<void> {
  const link = `${location.origin}/home/${classId}`;
  if ('share' in navigator) {
    try {
      await navigator.share({ title: label, url: link });
      return;
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return;
    }
  }
  await dialogs.alert(
    (await copyText(link))
      ? `Class link copied to clipboard: ${link}`
      : `Copy this link to share the class: ${link}`,
  );
}
