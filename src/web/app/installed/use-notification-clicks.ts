import { useEffect, useEffectEvent } from 'react';
import { useNavigate } from 'react-router';
import type { OpenPath } from '#web/service-worker/worker-messages.ts';

/** Opens the page of a clicked notification, without loading the page again. */
export function useNotificationClicks(): void {
  const navigate = useNavigate();
  const open = useEffectEvent((path: string) => void navigate(path));
  useEffect(() => {
    const { serviceWorker } = navigator;
    if (!serviceWorker) return;
    const onMessage = ({ data, ports }: MessageEvent<OpenPath | null>) => {
      if (data?.type !== 'open-path') return;
      open(data.path);
      ports[0]?.postMessage(true);
    };
    serviceWorker.addEventListener('message', onMessage);
    return () => serviceWorker.removeEventListener('message', onMessage);
  }, []);
}
