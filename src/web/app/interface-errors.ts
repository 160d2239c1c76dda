// Exceptions of the interface: the member gets a failureText, and the server a number.
import { useLayoutEffect } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import { call, toErrorMessage, NetworkError } from '#web/api.ts';
import { isExplained } from '#web/error-boundary.tsx';
import { getText } from '#web/get-text.ts';
import { useNotify } from '#web/ui/notices.tsx';

const failureText = getText('app.unexpectedError');

/** The page reports at most one exception in this time. */
const reportIntervalMs = 60_000; // METRIC-14

/** Shows a notice about each exception that no code of the app has handled or explained. */
export function InterfaceErrors() {
  const notify = useNotify();
  // A layout effect runs before the boundaries below report failures of the first render.
  useLayoutEffect(() => {
    let lastReportAt = -Infinity;
    const count = () => {
      const now = performance.now();
      if (now - lastReportAt < reportIntervalMs) return;
      lastReportAt = now;
      // The call has no text, stack or place of the exception. Its own failure must not be reported.
      call('countInterfaceError', {}).catch(() => undefined);
    };
    const handle = (error: unknown) => {
      if (!isFailure(error)) return;
      if (error instanceof RejectedError || error instanceof NetworkError) {
        return notify({ text: toErrorMessage(error) });
      }
      if (!isExplained(error)) notify({ text: failureText });
      count();
    };
    const onError = ({ error }: ErrorEvent) => handle(error);
    const onRejection = ({ reason }: PromiseRejectionEvent) => handle(reason);
    addEventListener('error', onError);
    addEventListener('unhandledrejection', onRejection);
    return () => {
      removeEventListener('error', onError);
      removeEventListener('unhandledrejection', onRejection);
    };
  }, [notify]);
  return null;
}

/** An event without an error is a notification of the browser, and an AbortError was asked for. */
function isFailure(error: unknown): boolean {
  return error !== null && error !== undefined && (error as Error).name !== 'AbortError';
}
