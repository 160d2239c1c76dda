import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Modal } from '#web/ui/modal.tsx';

interface Question {
  kind: 'alert' | 'confirm';
  text: string;
  answer: (yes: boolean) => void;
}

export interface Dialogs {
  alert: (text: string) => Promise<void>;
  confirm: (text: string) => Promise<boolean>;
}

const DialogsContext = createContext<Dialogs | null>(null);

/** In-app alerts and confirmations. Shows one at a time, in request order. */
export function DialogsProvider({ children }: { children: ReactNode }) {
  const [queue, setQueue] = useState<readonly Question[]>([]);
  const current = queue[0];
  const dialogs = useMemo<Dialogs>(() => {
    const ask = (kind: Question['kind'], text: string) =>
      new Promise<boolean>((answer) => setQueue((old) => [...old, { kind, text, answer }]));
    return {
      alert: (text) => ask('alert', text).then(() => undefined),
      confirm: (text) => ask('confirm', text),
    };
  }, []);
  const finish = useCallback(
    (yes: boolean) => {
      setQueue((old) => old.filter((question) => question !== current));
      current?.answer(yes);
    },
    [current],
  );
  const dismiss = useCallback(() => finish(false), [finish]);
  return (
    <DialogsContext value={dialogs}>
      {children}
      {current && (
        <Modal
          key={queue.length}
          role="alertdialog"
          text={current.text}
          onDismiss={dismiss}
          actions={
            <>
              {current.kind === 'confirm' && <Button onClick={dismiss}>Cancel</Button>}
              <Button variant="primary" data-first-focus onClick={() => finish(true)}>
                OK
              </Button>
            </>
          }
        />
      )}
    </DialogsContext>
  );
}

export function useDialogs(): Dialogs {
  const dialogs = use(DialogsContext);
  if (!dialogs) throw new Error('useDialogs needs a DialogsProvider above it.');
  return dialogs;
}
