import type { QueryClient } from '@tanstack/react-query';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { compareClasses } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { CallReply } from '#contract/http.ts';
import { call } from '#web/api.ts';
import { forgetDraft } from '#web/data/drafts.ts';
import { clearJustLeft, markJustLeft } from '#web/data/just-left.ts';
import { forgetPictures } from '#web/data/pictures.ts';

const classesKey = ['classes'];
type Classes = CallReply<'listClasses'>;

const sorted = ({ classes }: Classes) => classes.toSorted(compareClasses);

/** The classes of the member, in list order. */
export function useClasses() {
  return useQuery({
    queryKey: classesKey,
    queryFn: () => call('listClasses', {}),
    select: sorted,
  });
}

export function refreshClasses(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: classesKey });
}

function addClass(client: QueryClient, joined: Class): void {
  clearJustLeft(joined.classId);
  client.setQueryData<Classes>(classesKey, (old) => {
    const others = old?.classes.filter(({ classId }) => classId !== joined.classId) ?? [];
    return old && { classes: [...others, joined] };
  });
  void refreshClasses(client);
}

/** Removes a class from the list optimistically and clears its stored state. */
export function dropClass(client: QueryClient, left: string): void {
  forgetDraft(left);
  forgetPictures();
  client.setQueryData<Classes>(
    classesKey,
    (old) => old && { classes: old.classes.filter(({ classId }) => classId !== left) },
  );
  // Resets instead of removing: a mounted JoinGate would wait forever for a removed query.
  void client.resetQueries({ queryKey: ['class', left] });
  void refreshClasses(client);
}

/** Reads a class that the user may not be a member of. */
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
    onSuccess: (reply) => addClass(client, reply.class),
  });
}

async function leaveClass(classId: string): Promise<void> {
  // Runs before the call: the WebSocket frame can arrive before the response.
  markJustLeft(classId);
  try {
    await call('leaveClass', { params: { classId } });
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return;
    clearJustLeft(classId);
    throw error;
  }
}

export function useLeaveClass() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: leaveClass,
    onSuccess: (_, classId) => dropClass(client, classId),
  });
}

export function useCreateClass() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Parameters<typeof call<'createClass'>>[1]['body']) =>
      call('createClass', { body }),
    onSuccess: (reply) => addClass(client, reply.class),
  });
}
