// The public numbers of moderation, per whole day, and whether operators can unmask people.
import { useQuery } from '@tanstack/react-query';
import { call } from '#web/api.ts';
import { formatPastDay } from '#web/format.ts';
import { getText } from '#web/get-text.ts';

export function useSiteTransparency() {
  return useQuery({ queryKey: ['transparency'], queryFn: () => call('readSiteTransparency', {}) });
}

export function useClassTransparency(classId: string) {
  return useQuery({
    queryKey: ['class', classId, 'transparency'],
    queryFn: () => call('readClassTransparency', { params: { classId } }),
  });
}

/** What members must know before they write. */
export function toUnmaskingNotice(firstDay: string): string {
  return getText('legal.unmasking.since', { day: formatPastDay(firstDay) });
}
