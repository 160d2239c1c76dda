import { useRef, useState } from 'react';
import { useMe } from '#web/data/session.ts';
import { getText } from '#web/get-text.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import type { PersonalDetail } from './personal-details.ts';

const personalDetails = createPreloadedModule(() => import('./personal-details.ts'));

const warnings: Readonly<Record<PersonalDetail, string>> = {
  'your email address': getText('chat.personal.ownEmail'),
  'your name': getText('chat.personal.ownName'),
  'an email address': getText('chat.personal.email'),
  'a phone number': getText('chat.personal.phone'),
  'a student number': getText('chat.personal.studentNumber'),
};

/**
 * Asks before a text with a personal detail is sent, once per draft. The warning is null while nothing is
 * asked.
 */
export function useSendQuestion() {
  const email = useMe().data?.account?.email ?? '';
  const [detail, setDetail] = useState<PersonalDetail | null>(null);
  const [wasAsked, setWasAsked] = useState(false);
  const waitingText = useRef<string | null>(null);
  return {
    warning: detail && warnings[detail],
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
      if (wasAsked || foundDetail === undefined) return true;
      setWasAsked(true);
      setDetail(foundDetail);
      return false;
    },
    /** The member edits the text. */
    close: () => setDetail(null),
    /** The draft was sent or discarded. */
    reset() {
      setWasAsked(false);
      setDetail(null);
    },
  };
}
