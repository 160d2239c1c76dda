import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { errorMessage } from '#web/api.ts';
import { useClasses, useJoinClass } from '#web/data/classes.ts';
import { forgetAnswers } from '#web/data/search-client.ts';
import { useNotify } from '#web/ui/notices.tsx';

/** Joins a search result and opens it. If the viewer is already a member, opens it directly. */
export function useJoinFound() {
  const navigate = useNavigate();
  const notify = useNotify();
  const client = useQueryClient();
  const mine = new Set(useClasses().data?.map(({ classId }) => classId));
  const join = useJoinClass();
  const open = (classId: string) => void navigate('/', { state: { classId } });

  const joinAndOpen = (classId: string) => {
    if (join.isPending) return;
    if (mine.has(classId)) return open(classId);
    join.mutate(classId, {
      onSuccess: () => {
        forgetAnswers(client);
        open(classId);
      },
      onError: (error) => {
        console.error('Joining the class failed.', error);
        notify({
          text: `The class was not joined. ${errorMessage(error)}`,
          action: { label: 'Try again', act: () => joinAndOpen(classId) },
        });
      },
    });
  };
  return {
    isJoined: (classId: string) => mine.has(classId),
    isJoining: (classId: string) => join.isPending && join.variables === classId,
    joinAndOpen,
  };
}
