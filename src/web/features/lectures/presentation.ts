// What the screen of the hall shows: it asks the server every few seconds, without a session.
import { useEffect, useState } from 'react';
import type { CallReply } from '#contract/http.ts';
import { routes } from '#contract/routes.ts';

export type Presentation = CallReply<'readPresentation'>;

/** `isConnected`: the last request succeeded. */
export type PresentationState =
  | { kind: 'loading'; isConnected: boolean }
  | { kind: 'shown'; isConnected: boolean; presentation: Presentation }
  | { kind: 'over' };

/** The server shares one answer a second among all screens. */
const pollMs = 1000;
const timeoutMs = 10_000;

/** Reads the questions of the link until its lecture is over. */
export function usePresentation(token: string): PresentationState {
  const [state, setState] = useState<PresentationState>({ kind: 'loading', isConnected: true });
  useEffect(() => followPresentation(token, setState), [token]);
  return state;
}

/** @returns a function that stops it */
function followPresentation(
  token: string,
  setState: (change: (state: PresentationState) => PresentationState) => void,
): () => void {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let etag: string | null = null;

  async function poll(): Promise<void> {
    try {
      const response = await request(token, etag, controller.signal);
      if (controller.signal.aborted) return;
      if (await isOver(response)) return setState(() => ({ kind: 'over' }));
      if (response.status === 200) {
        const presentation = (await response.json()) as Presentation;
        etag = response.headers.get('etag');
        setState(() => ({ kind: 'shown', isConnected: true, presentation }));
      } else setConnected(response.status === 304);
    } catch {
      setConnected(false);
    }
    if (!controller.signal.aborted) timer = setTimeout(() => void poll(), pollMs);
  }

  function setConnected(isConnected: boolean): void {
    setState((state) =>
      state.kind === 'over' || state.isConnected === isConnected
        ? state
        : { ...state, isConnected },
    );
  }

  void poll();
  return () => {
    controller.abort();
    clearTimeout(timer);
  };
}

/** Proxies answer 404, too, when they find no server. */
async function isOver(response: Response): Promise<boolean> {
  if (response.status !== 404) return false;
  const { code } = (await response.json()) as { code?: string };
  return code === 'NOT_FOUND';
}

/** The token is in a header, because proxies log paths. */
function request(token: string, etag: string | null, signal: AbortSignal): Promise<Response> {
  return fetch(routes.readPresentation.path, {
    headers: { 'presenter-token': token, ...(etag !== null && { 'if-none-match': etag }) },
    cache: 'no-store',
    credentials: 'omit',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
}
