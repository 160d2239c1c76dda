// Questions that only staff see: the lists of their asker and of staff, what is written to staff, and which answers the asker has
// seen.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { PrivateQuestion } from '#contract/private-questions.ts';
import { trimMessageText } from '#contract/text.ts';
import { clearDraft, loadDraft, saveDraft, toPrivateDraft, useDraft } from '#web/data/drafts.ts';
import { pollWhileUnreachable } from '#web/data/query-client.ts';
import { onSessionEnd } from '#web/data/session-end.ts';
import { settings } from '#web/data/settings.ts';
import { refreshCalls, useCall } from '#web/data/use-call.ts';
import { createStore } from '#web/store.ts';
import { browserStorage } from '#web/sync/engine/tab-storage.ts';
import { createMessageId } from '#web/sync/outbox/outbox.ts';
import type { Room } from '#web/sync/room/room.ts';
import { useStore } from '#web/use-store.ts';

/** What to read again after each change. */
export const privateLists = ['listOwnPrivate', 'listPrivateQuestions'] as const;

/** Nothing keeps the lists current while the room is closed. */
const listOptions = { gcTime: 0, staleTime: Infinity, refetchInterval: pollWhileUnreachable };

/** The viewer's own questions to staff. */
export function useOwnPrivate(classId: string) {
  return useCall('listOwnPrivate', { params: { classId } }, listOptions);
}

/** All private questions of the class, for staff. */
export function usePrivateQuestions(classId: string, enabled: boolean) {
  return useCall('listPrivateQuestions', { params: { classId } }, { ...listOptions, enabled });
}

const maxDelayMs = 5000; // PRIV-55

/** Reads the lists again after changes. All browsers of the class do, at random moments, so that the traffic does not tell who asks. */
export function useFollowPrivate(room: Room): void {
  const client = useQueryClient();
  useEffect(() => {
    const refresh = () => void refreshCalls(client, privateLists);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stopChanges = room.onPrivateChanged(() => {
      clearTimeout(timer);
      timer = setTimeout(refresh, Math.random() * maxDelayMs);
    });
    const stopMessages = room.onMessageChanged(({ kind }) => {
      if (kind === 'resumed' || kind === 'unknown') refresh();
    });
    return () => {
      clearTimeout(timer);
      stopChanges();
      stopMessages();
    };
  }, [client, room]);
}

const toSentKey = (draftKey: string) => `${draftKey}:sent`;

/** A further try with the same text has the same id, so that it arrives once, also after a reload and from another tab. */
function getSendId(draftKey: string, text: string): string {
  const sentKey = toSentKey(draftKey);
  const [sentId = '', sentText] = loadDraft(sentKey).split(/ (.*)/s);
  if (sentText === text) return sentId;
  const id = createMessageId('8');
  saveDraft(sentKey, `${id} ${text}`);
  return id;
}

interface SendOptions {
  /** What is written: a question in this class, or a turn of this question. */
  draftId: string;
  send: (id: string, text: string) => Promise<unknown>;
  onSent?: () => void;
}

/** What is written to staff, or by them. It stays in its draft until the server has it. */
export function usePrivateDraft({ draftId, send, onSent }: SendOptions) {
  const key = toPrivateDraft(draftId);
  const typedText = useDraft(key);
  const client = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (sentText: string) => send(getSendId(key, sentText), sentText),
    onSuccess(_, sentText) {
      // Another tab may have changed it meanwhile. What is typed next is for staff, too: the message field would show it to the class.
      if (trimMessageText(loadDraft(key)) === sentText) saveDraft(key, '');
      // The same text can be meant a second time.
      clearDraft(toSentKey(key));
      void refreshCalls(client, privateLists);
      onSent?.();
    },
    gcTime: 0,
  });
  const text = trimMessageText(typedText);
  const isReady = text !== '' && !isPending;
  return {
    typedText,
    text,
    isReady,
    isPending,
    error,
    change(next: string) {
      saveDraft(key, next);
      reset();
    },
    send: () => isReady && mutate(text),
  };
}

export type Standing = 'open' | 'answered' | 'done';

export function toStanding({ state, turns }: PrivateQuestion): Standing {
  if (state === 'done') return 'done';
  return turns.at(-1)?.turnPersona ? 'answered' : 'open';
}

const seenKey = 'seen-answers';
/** Question id → how many of its steps the asker has seen. Only this browser knows. */
const seen = createStore(loadSeen());

function loadSeen(): Readonly<Record<string, number>> {
  return JSON.parse(browserStorage.read(seenKey) ?? '{}') as Record<string, number>;
}

onSessionEnd(() => seen.set({}));

/** Grows when someone writes, and when staff ask whether they may publish. */
function countSteps({ state, turns }: PrivateQuestion): number {
  return 2 * turns.length + Number(state === 'asked');
}

/** Whether staff answered one of the viewer's questions, or ask something, and the viewer has not seen it in this browser. */
export function useHasNews(questions: readonly PrivateQuestion[]): boolean {
  const seenSteps = useStore(seen);
  return questions.some((question) => {
    const isAskersTurn = question.state === 'asked' || toStanding(question) === 'answered';
    return isAskersTurn && countSteps(question) > (seenSteps[question.questionId] ?? 0);
  });
}

export function markSeen(questions: readonly PrivateQuestion[]): void {
  if (questions.length === 0) return;
  const steps = questions.map((question) => [question.questionId, countSteps(question)] as const);
  seen.set({ ...loadSeen(), ...seen.getSnapshot(), ...Object.fromEntries(steps) });
  if (settings.getSnapshot().keepMessages !== 'on') return;
  browserStorage.write(seenKey, JSON.stringify(seen.getSnapshot()));
}
