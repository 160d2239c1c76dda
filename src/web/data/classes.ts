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

/** The classes I am in, in the order of the list. */
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

/** Takes a class out of the list before the server's next answer says so; nothing of it is kept. */
export function dropClass(client: QueryClient, left: string): void {
  forgetDraft(left);
  forgetPictures();
  client.setQueryData<Classes>(
    classesKey,
    (old) => old && { classes: old.classes.filter(({ classId }) => classId !== left) },
  );
  // Not removed: who stands at its threshold already would wait for an answer that nobody awaits.
  void client.resetQueries({ queryKey: ['class', left] });
  void refreshClasses(client);
}

/** A class I am perhaps not in. */
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
  // Before the call: the socket may tell of it earlier than the answer does.
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
