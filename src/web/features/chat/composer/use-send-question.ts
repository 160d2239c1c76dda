import { useRef, useState } from 'react';
import { useMe } from '#web/data/session.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';

const personalDetails = createPreloadedModule(() => import('./personal-details.ts'));

/**
 * Asks before a text with a personal detail is sent, once per draft. The warning is null while nothing is
 * asked.
 */
export function useSendQuestion() {
  const email = useMe().data?.account?.email ?? '';
  const [warning, setWarning] = useState<string | null>(null);
  const [wasAsked, setWasAsked] = useState(false);
  const waitingText = useRef<string | null>(null);
  return {
    warning,
    /** Continues immediately, except in the first moment of the room: then once, however often the text is sent. */
    whenLoaded(text: string, act: () => void): void {
      if (personalDetails.getSnapshot()) return act();
      if (text === waitingText.current) return;
      waitingText.current = text;
      void personalDetails.load().then(() => {
        waitingText.current = null;
        act();
      });
    },
    /** @returns whether the texts can be sent now */
    maySend(texts: readonly string[]): boolean {
      const code = personalDetails.getSnapshot();
      const [foundDetail] = texts.flatMap((text) => code?.findPersonalDetail(text, email) ?? []);
      if (wasAsked || !code || !foundDetail) return true;
      setWasAsked(true);
      setWarning(code.warnings[foundDetail]);
      return false;
    },
    /** The member edits the text. */
    close: () => setWarning(null),
    /** The draft was sent or discarded. */
    reset() {
      setWasAsked(false);
      setWarning(null);
    },
  };
}
