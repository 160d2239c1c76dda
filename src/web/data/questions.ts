// The questions of a class: the list of the server, kept current by the changes that the room receives.
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Message, Persona } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import { call } from '#web/api.ts';
import { pollWhileUnreachable } from '#web/data/query-client.ts';
import { applyToAll } from '#web/sync/engine/log-replica.ts';
import { type RoomQuestion, toRoomQuestion } from '#web/data/room-questions.ts';
import { toOwnVotes } from '#web/sync/room/own-marks.ts';
import type { MessageChange, Room } from '#web/sync/room/room.ts';
import { useStore } from '#web/use-store.ts';

type Questions = CallReply<'listQuestions'>;

/** A question as the viewer sees it. */
export interface ShownQuestion extends Pick<
  Message,
  'id' | 'memberId' | 'text' | 'images' | 'createdAt' | 'moderation' | 'topicId'
> {
  /** Null until the server has the question. */
  seq: number | null;
  question: RoomQuestion;
}

const toQuestionsKey = (classId: string) => ['class', classId, 'questions'];

/** The newest questions of the class, newest first, without those that the viewer ignores or hides. */
export function useQuestions(classId: string, room: Room) {
  const query = useQuery({
    queryKey: toQuestionsKey(classId),
    queryFn: () => fetchQuestions(classId, room),
    // Nothing keeps the list current while the room is closed.
    gcTime: 0,
    staleTime: Infinity,
    refetchInterval: pollWhileUnreachable,
  });
  const view = useStore(room);
  const { data } = query;
  const { newest, preferences, personas } = view;
  // If the list cannot be read, the questions among the messages that the room holds.
  const keptMessages = data === undefined && query.errorUpdateCount > 0 ? newest : null;
  const questions = useMemo(() => {
    const { ignored, hidden } = preferences;
    const messages = data?.questions ?? keptMessages?.toReversed();
    return (messages ?? [])
      .filter(({ id, memberId }) => !ignored.has(memberId) && !hidden.has(id))
      .flatMap(({ question, ...message }) =>
        question ? [{ ...message, question: toRoomQuestion(message.id, question, view) }] : [],
      );
  }, [data, keptMessages, preferences, view]);
  const shownPersonas = useMemo(
    // The room's personas are newer.
    () => mapByMemberId([...(data?.personas ?? []), ...personas.values()]),
    [data, personas],
  );
  return { query, view, questions, personas: shownPersonas };
}

/** Reads the list. What changes meanwhile can be newer than the response. */
async function fetchQuestions(classId: string, room: Room): Promise<Questions> {
  const votesBefore = room.getSnapshot().marks.votes;
  const changes: MessageChange[] = [];
  const stopRecording = room.onMessageChanged((change) => changes.push(change));
  let list: Questions;
  try {
    list = await call('listQuestions', { params: { classId } });
  } finally {
    stopRecording();
  }
  if (changes.some(isGap)) return fetchQuestions(classId, room);
  room.receiveVotes(toOwnVotes(list.questions, list.voted), votesBefore);
  return changes.filter((change) => !isGap(change)).reduce(changeList, list);
}

function mapByMemberId(personas: readonly Persona[]): Map<string, Persona> {
  return new Map(personas.map((persona) => [persona.memberId, persona]));
}

/** The message of a listed question. The room may not hold it. */
export function findListedQuestion(
  client: QueryClient,
  classId: string,
  messageId: string,
): Message | undefined {
  const list = client.getQueryData<Questions>(toQuestionsKey(classId));
  return list?.questions.find(({ id }) => id === messageId);
}

/** Whether the question has an answer, or staff answered it aloud. */
export function isAnswered({
  answer,
  endorsed,
  done,
}: Pick<RoomQuestion, 'answer' | 'endorsed' | 'done'>) {
  return answer !== null || endorsed !== null || done === true;
}

interface Voter {
  isMine: boolean;
  /** The class takes messages, and no moderator muted the viewer. */
  canSend: boolean;
  /** Staff answer questions, and see the number only. */
  isStaff: boolean;
  hasEnded: boolean;
}

/** Whether the viewer can vote for the question, or take the vote back. */
export function mayVote({ voted }: RoomQuestion, voter: Voter): boolean {
  const { isMine, canSend, isStaff, hasEnded } = voter;
  // A muted member can still take back a vote, and so can one who has become staff.
  return !hasEnded && !isMine && ((canSend && !isStaff) || voted);
}

/** Applies a change of a message to the list. */
export function updateQuestions(client: QueryClient, classId: string, change: MessageChange): void {
  const queryKey = toQuestionsKey(classId);
  if (!isGap(change)) {
    client.setQueryData<Questions>(queryKey, (list) => list && changeList(list, change));
    return;
  }
  // A closed poll has no votes any more, so a vote that this device has read may be an old one. Open polls are read again.
  void client.resetQueries({ queryKey: ['class', classId, 'poll'], type: 'inactive' });
  // A request on its way has recorded the gap, and repeats itself.
  void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

type Gap = Extract<MessageChange, { kind: 'unknown' | 'resumed' }>;
type ListChange = Exclude<MessageChange, Gap>;

/** Whether changes or votes are missing, so that the list must be read again. */
function isGap(change: MessageChange): change is Gap {
  return change.kind === 'unknown' || change.kind === 'resumed';
}

function changeList(list: Questions, change: ListChange): Questions {
  if (change.kind === 'posted') {
    const { message, persona, personas = [] } = change;
    // A listed question is newer than its post.
    const isListed = list.questions.some(({ id }) => id === message.id);
    return {
      ...list,
      questions: isListed ? list.questions : [message, ...list.questions],
      personas: putPersonas(list.personas, [...personas, persona]),
    };
  }
  const personas = 'personas' in change ? (change.personas ?? []) : [];
  const questions = applyToAll(list.questions, change).filter(({ question }) => question);
  return { ...list, questions, personas: putPersonas(list.personas, personas) };
}

function putPersonas(personas: readonly Persona[], newPersonas: readonly Persona[]): Persona[] {
  return [...mapByMemberId([...personas, ...newPersonas]).values()];
}
