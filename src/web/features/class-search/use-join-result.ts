import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { CallReply } from '#contract/http.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { useClasses, useJoinClass } from '#web/data/classes.ts';
import { clearSearchCache } from '#web/data/search-client.ts';
import { getText } from '#web/get-text.ts';
import { useNotify } from '#web/ui/notices.tsx';

type FoundClass = CallReply<'readClass'>;

/**
 * Joins a search result and opens it. A class with a description or rules is offered first. If the viewer is already
 * a member, opens it directly.
 */
export function useJoinResult() {
  const navigate = useNavigate();
  const notify = useNotify();
  const client = useQueryClient();
  const joinedIds = new Set(useClasses().data?.map(({ classId }) => classId));
  const join = useJoinClass();
  const [offer, setOffer] = useState<FoundClass | null>(null);
  const open = (classId: string) => void navigate('/', { state: { classId } });
  const openJoined = (classId: string) => {
    clearSearchCache(client);
    open(classId);
  };
  const joinAttempt = useMutation({
    /** @returns what to show before the join; null if the viewer has joined */
    async mutationFn(classId: string): Promise<FoundClass | null> {
      const classDetails = await call('readClass', { params: { classId } });
      if (!classDetails.joined && (classDetails.description || classDetails.rules)) {
        return classDetails;
      }
      await join.mutateAsync(classId);
      return null;
    },
  });

  const joinAndOpen = (classId: string) => {
    if (joinAttempt.isPending) return;
    if (joinedIds.has(classId)) return open(classId);
    joinAttempt.mutate(classId, {
      onSuccess: (offeredClass) => (offeredClass ? setOffer(offeredClass) : openJoined(classId)),
      onError: (error) => {
        console.error('Joining the class failed.', error);
        notify({
          text: getText('data.class.joinFailed', { error: toErrorMessage(error) }),
          action: { label: getText('common.retry'), run: () => joinAndOpen(classId) },
        });
      },
    });
  };
  return {
    isJoined: (classId: string) => joinedIds.has(classId),
    isJoining: (classId: string) => joinAttempt.isPending && joinAttempt.variables === classId,
    joinAndOpen,
    offer,
    decline: () => setOffer(null),
    openJoined,
  };
}
