import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { getText } from '#web/get-text.ts';
import type { LazyModule } from '#web/lazy-module.ts';
import { Button } from '#web/ui/button.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { useStore } from '#web/use-store.ts';

const retryMs = 10_000;
const failureText = getText('ui.onDemand.failed');

interface Props<Module> {
  code: LazyModule<Module>;
  /**
   * Closes what a failed load cannot show, such as a dialog. A notice says why. Without it, the failure and 'Retry' take
   * the place of the children.
   */
  onFailure?: () => void;
  /** After a failed load, only the fallback is visible, and the browser tries again automatically. */
  isQuiet?: boolean;
  /** Shown until the code has loaded. */
  fallback?: ReactNode;
  children: (module: Module) => ReactNode;
}

/** Shows something whose code loads on first use. Once it has loaded, it is there without delay. */
export function OnDemand<Module>({
  code,
  onFailure,
  isQuiet = false,
  fallback,
  children,
}: Props<Module>) {
  const module = useStore(code);
  const [hasFailed, setHasFailed] = useState(false);
  const notify = useNotify();
  const fail = useEffectEvent(() => {
    if (!onFailure) return setHasFailed(true);
    notify({ text: failureText });
    onFailure();
  });
  useEffect(() => {
    if (hasFailed) return;
    let isCurrent = true;
    void code.load().then(() => {
      if (isCurrent && code.getSnapshot() === null) fail();
    });
    return () => {
      isCurrent = false;
    };
  }, [code, hasFailed]);
  useEffect(() => {
    if (!hasFailed || !isQuiet) return;
    const retry = () => setHasFailed(false);
    const timer = setTimeout(retry, retryMs);
    addEventListener('online', retry);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', retry);
    };
  }, [hasFailed, isQuiet]);
  if (module !== null) return children(module);
  if (!hasFailed || isQuiet) return fallback;
  return (
    <p role="alert">
      {failureText}{' '}
      <Button variant="plain" onClick={() => setHasFailed(false)}>
        {getText('common.retry')}
      </Button>
    </p>
  );
}
