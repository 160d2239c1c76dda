import { useEffect, useRef } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';
import { createLazyModule } from '#web/lazy-module.ts';
import type { Room } from '#web/sync/room/room.ts';
import { useOpenMessage } from './use-open-message.ts';

const urlParameter = 'message';

const wordMarks = createLazyModule(() => import('./mark-words.ts'));

/** The link to a message of a class. */
export function toMessageLink(classId: string, messageId: string): string {
  return `${location.origin}/home/${classId}?${urlParameter}=${messageId}`;
}

/** The state of a navigation that shows the message, even if the URL named it before. */
interface MessageRequest {
  opensMessage: true;
  /** The query of a search. What it matches is marked in the message. */
  query?: string;
}

export function addMessageRequest(state: object | null): MessageRequest {
  return { ...state, opensMessage: true };
}

/** Shows the message that the URL names, as soon as the room has loaded. */
export function useLinkedMessage(room: Room, isReady: boolean): void {
  const { search, state, key } = useLocation();
  const id = new URLSearchParams(search).get(urlParameter);
  const { openMessage } = useOpenMessage(room);
  const request = isMessageRequest(state) ? state : null;
  const isClick = useNavigationType() !== NavigationType.Pop && request !== null;
  const openedEntry = useRef({ id: '', key: '' });
  useEffect(() => {
    if (!isReady || !id) return;
    // An enlarged picture removes the id from the URL for a while, and a panel changes the state of the entry.
    const isRepeated = isClick && key !== openedEntry.current.key;
    if (id === openedEntry.current.id && !isRepeated) return;
    openedEntry.current = { id, key };
    void openMessage(id);
  }, [isReady, id, key, isClick, openMessage]);
  useMarkedWords(id, request?.query);
}

function useMarkedWords(id: string | null, query: MessageRequest['query']): void {
  useEffect(() => {
    if (!id || !query) return;
    const marking = new AbortController();
    void wordMarks.load().then(() => wordMarks.getSnapshot()?.markWords(id, query, marking.signal));
    return () => marking.abort();
  }, [id, query]);
}

function isMessageRequest(state: unknown): state is MessageRequest {
  return typeof state === 'object' && state !== null && 'opensMessage' in state;
}
