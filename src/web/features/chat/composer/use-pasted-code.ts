import { type ClipboardEvent, type RefObject, useState } from 'react';
import { createPreloadedModule } from '#web/lazy-module.ts';
import { isInCode } from './is-in-code.ts';
import { replaceText } from './replace-text.ts';

export const textEdits = createPreloadedModule(() => import('./text-edits.ts'));

/** Offers to format pasted text as code if it looks like code. It never changes the text unasked. */
export function usePastedCode(field: RefObject<HTMLTextAreaElement | null>, text: string) {
  const [pastedText, setPastedText] = useState('');
  // An edit of the pasted text withdraws the offer.
  const isOffered = pastedText !== '' && text.includes(pastedText);
  return {
    isOffered,
    onPaste({ clipboardData, currentTarget }: ClipboardEvent<HTMLTextAreaElement>) {
      const clipboardText = clipboardData.getData('text/plain').replaceAll(/\r\n?/g, '\n');
      setPastedText('');
      if (
        !clipboardText.includes('\n') ||
        isInCode(currentTarget.value, currentTarget.selectionStart)
      ) {
        return;
      }
      void textEdits.load().then(() => {
        if (textEdits.getSnapshot()?.isLikelyCode(clipboardText)) setPastedText(clipboardText);
      });
    },
    format() {
      const element = field.current;
      const from = text.lastIndexOf(pastedText);
      setPastedText('');
      const edit = textEdits.getSnapshot()?.wrapInFence(text, from, from + pastedText.length);
      if (element && from >= 0 && edit) replaceText(element, edit);
    },
    decline: () => setPastedText(''),
  };
}
