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
    /** @returns whether the text can be sent now */
    maySend(text: string): boolean {
      const foundDetail = wasAsked ? null : findPersonalDetail(text, email);
      if (foundDetail === null) return true;
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
