// The account's settings of notifications.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallReply } from '#contract/http.ts';
import type { NotificationSettings, NotifyChoice } from '#contract/notifications.ts';
import { call } from '#web/api.ts';
import { pollWhileUnreachable } from '#web/data/query-client.ts';
import { useMe } from '#web/data/session.ts';
import { createCallQuery, useCall } from '#web/data/use-call.ts';

const { queryKey } = createCallQuery('readNotifications', {});
export type Notifications = CallReply<'readNotifications'>;

export function useNotifications() {
  // Disables the query after sign-out, while the screen is still mounted.
  const enabled = useMe().data?.account !== null;
  const options = { enabled, gcTime: 0, refetchInterval: pollWhileUnreachable };
  return useCall('readNotifications', {}, options);
}

/** Saves one change after the other. */
function useChange<Change>(
  save: (change: Change) => Promise<unknown>,
  apply: (oldNotifications: Notifications, change: Change) => Notifications,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: save,
    scope: { id: 'notifications' },
    onSuccess: (_, change) =>
      client.setQueryData<Notifications>(
        queryKey,
        (oldNotifications) => oldNotifications && apply(oldNotifications, change),
      ),
  });
}

export function useSaveSettings() {
  return useChange(
    (body: NotificationSettings) => call('saveNotifications', { body }),
    (oldNotifications, notifications) => ({ ...oldNotifications, notifications }),
  );
}

export function useSaveDigest() {
  return useChange(
    (digest: boolean) => call('saveDigest', { body: { digest } }),
    (oldNotifications, digest) => ({ ...oldNotifications, digest }),
  );
}

interface ClassChoice {
  classId: string;
  notify: NotifyChoice;
}

export function useChooseNotifications() {
  return useChange(
    ({ classId, notify }: ClassChoice) =>
      call('chooseNotifications', { params: { classId }, body: { notify } }),
    (oldNotifications, choice) => {
      const otherChoices = oldNotifications.choices.filter(
        ({ classId }) => classId !== choice.classId,
      );
      return { ...oldNotifications, choices: [...otherChoices, choice] };
    },
  );
}
