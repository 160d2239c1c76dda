// The public numbers of moderation, per whole day, and whether operators can unmask people.
import { useQuery } from '@tanstack/react-query';
import { call } from '#web/api.ts';
import { formatPastDay } from '#web/format.ts';

export function useSiteOpenness() {
  return useQuery({ queryKey: ['openness'], queryFn: () => call('readSiteOpenness', {}) });
}

export function useClassOpenness(classId: string) {
  return useQuery({
    queryKey: ['class', classId, 'openness'],
    queryFn: () => call('readClassOpenness', { params: { classId } }),
  });
}

/** What members must know before they write. */
export function unmaskingNotice(since: string): string {
  return `Since ${formatPastDay(since)}, unmasking is switched on here: when the law demands it, two operators together can find out whose account wrote a message.`;
}
