import { useState } from 'react';
import { useMe } from '#web/data/session.ts';
import { findPersonalDetail, type PersonalDetail } from './personal-details.ts';

/**
 * Asks before a text with a personal detail is sent, once per draft. The detail is null while nothing is
 * asked.
 */
export function useSendQuestion() {
  const email = useMe().data?.account?.email ?? '';
  const [detail, setDetail] = useState<PersonalDetail | null>(null);
  const [wasAsked, setWasAsked] = useState(false);
  return {
    detail,
    /** @returns whether the texts can be sent now */
    maySend(texts: readonly string[]): boolean {
      const [foundDetail] = texts.flatMap((text) => findPersonalDetail(text, email) ?? []);
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
