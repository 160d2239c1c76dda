import type { QueryClient } from '@tanstack/react-query';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { compareClasses } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { RejectedError } from '#web/rejected-error.ts';
import type { CallReply } from '#contract/http.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { classesQuery, getClasses } from '#web/data/classes-query.ts';
import { clearDraft, toPrivateDraft } from '#web/data/drafts.ts';
import { evictPictures } from '#web/data/pictures.ts';
import { classesKey } from '#web/data/query-keys.ts';
import { savePlace } from '#web/data/reading-places.ts';

type Classes = CallReply<'listClasses'>;

/** The classes of the member, in list order. */
export function useClasses() {
  return useQuery({ ...classesQuery, select: getClasses });
}

export async function refreshClasses(client: QueryClient): Promise<void> {
  const isLoading = client.getQueryData(classesKey) === undefined;
  await client.invalidateQueries({ queryKey: classesKey });
  // An invalidation only waits for the first answer, which may be from before the change.
  if (isLoading) await client.invalidateQueries({ queryKey: classesKey });
}

function addClass(client: QueryClient, joinedClass: Class): void {
  forgetLeftClass(joinedClass.classId);
  client.setQueryData<Classes>(classesKey, (old) => {
    const otherClasses =
      old?.classes.filter(({ classId }) => classId !== joinedClass.classId) ?? [];
    return old && { classes: [...otherClasses, joinedClass].toSorted(compareClasses) };
  });
  void refreshClasses(client);
}

/** Removes a class from the list optimistically and clears its stored state. */
export function removeClass(client: QueryClient, leftClassId: string): void {
  clearDraft(leftClassId);
  clearDraft(toPrivateDraft(leftClassId));
  savePlace(leftClassId, null);
  evictPictures();
  client.setQueryData<Classes>(
    classesKey,
    (old) => old && { classes: old.classes.filter(({ classId }) => classId !== leftClassId) },
  );
  const queryKey = ['class', leftClassId];
  // An open panel must not read again what the server no longer shows.
  client.removeQueries({ queryKey, predicate: (query) => query.queryKey.length > queryKey.length });
  // Resets instead of removing: a mounted JoinGate would wait forever for a removed query.
  void client.resetQueries({ queryKey });
  void refreshClasses(client);
}

/** Reads a class, also if the viewer is not a member. */
export function useClass(classId: string) {
  return useQuery({
    queryKey: ['class', classId],
    queryFn: () => call('readClass', { params: { classId } }),
    staleTime: 0,
  });
}

export function useJoinClass() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (classId: string) => call('joinClass', { params: { classId } }),
    onSuccess: (reply, classId) => {
      newlyJoined.add(classId);
      addClass(client, reply.class);
    },
  });
}

/** The classes that the member has joined in this tab, until their rooms have said who the member is there. */
export const newlyJoined = new Set<string>();

/**
 * The text for a viewer who cannot join or create a class. The server's own sentence is shown if it says what to do, or
 * that trying again does not help.
 */
export function toClassErrorText(error: unknown, fallbackText: string): string {
  const isExplained =
    error instanceof RejectedError &&
    ['TOO_MANY_CLASSES', 'REMOVED_FROM_CLASS'].includes(error.code);
  return isExplained ? toErrorMessage(error) : fallbackText;
}

async function leaveClass(classId: string): Promise<void> {
  // Runs before the call: the WebSocket frame can arrive before the response.
  rememberLeftClass(classId);
  try {
    await call('leaveClass', { params: { classId } });
  } catch (error) {
    if (error instanceof RejectedError && error.code === 'NOT_FOUND') return;
    forgetLeftClass(classId);
    throw error;
  }
}

export function useLeaveClass() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: leaveClass,
    onSuccess: (_, classId) => removeClass(client, classId),
  });
}

/** @param courseId the course of a learning platform that then leads to the class */
export function useCreateClass(courseId: string | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Parameters<typeof call<'createClass'>>[1]['body']) =>
      courseId === undefined
        ? call('createClass', { body })
        : call('createCourseClass', { params: { courseId }, body }),
    onSuccess: (reply) => addClass(client, reply.class),
  });
}

/** The key of a class that the member left in this tab. Its link opens /home without an offer to join. */
const toLeftKey = (classId: string) => `left:${classId}`;

export function hasLeftClass(classId: string): boolean {
  return sessionStorage.getItem(toLeftKey(classId)) !== null;
}

function rememberLeftClass(classId: string): void {
  sessionStorage.setItem(toLeftKey(classId), '1');
}

export function forgetLeftClass(classId: string): void {
  sessionStorage.removeItem(toLeftKey(classId));
}
