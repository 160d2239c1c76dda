import { useEffect, useEffectEvent } from 'react';
import { useNavigate } from 'react-router';
import { site } from '#web/site.ts';
import { useNotify } from '#web/ui/notices.tsx';

/** Loads the news only where unmasking is switched on. */
export function useUnmaskingNews(): void {
  const notify = useNotify();
  const navigate = useNavigate();
  const load = useEffectEvent(async (unmaskingSince: string) => {
    const { notifyOfUnmasking } = await import('#web/app/unmasking-news.ts');
    notifyOfUnmasking(unmaskingSince, notify, () => void navigate('/privacy'));
  });
  useEffect(() => {
    // Without a connection, the next page load shows the news.
    if (site.unmaskingSince) load(site.unmaskingSince).catch(() => {});
  }, []);
}
