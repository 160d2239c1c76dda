import { type RefObject, useEffect, useState } from 'react';

/**
 * Moves the focus to the first field that a rejected attempt has marked as wrong.
 *
 * @param isPending the server has not answered the attempt yet
 * @returns a function to call with each attempt to send the form
 */
export function useWrongFieldFocus(
  form: RefObject<HTMLElement | null>,
  isPending: boolean,
): () => void {
  const [attemptCount, setAttemptCount] = useState(0);
  useEffect(() => {
    if (attemptCount === 0 || isPending) return;
    const wrongPart = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    const field = wrongPart?.matches('fieldset') ? wrongPart.querySelector('input') : wrongPart;
    // Screen readers read what describes a field when it gets the focus, and it may have had it.
    field?.blur();
    field?.focus();
    // On a small screen, the sentence can be outside of what is visible.
    const problemId = wrongPart?.getAttribute('aria-describedby')?.split(' ').at(-1) ?? '';
    document.getElementById(problemId)?.scrollIntoView({ block: 'nearest' });
  }, [form, attemptCount, isPending]);
  return () => setAttemptCount((count) => count + 1);
}
