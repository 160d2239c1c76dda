import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Modal } from '#web/ui/modal.tsx';

/** The button that confirms a question. It names what it does. */
interface ConfirmedAction {
  label: string;
  /** The action destroys something. */
  danger: boolean;
  /** What it acts on. */
  target?: string;
}

interface Question {
  kind: 'alert' | 'confirm';
  text: string;
  action: ConfirmedAction | null;
  answer: (yes: boolean) => void;
}

export interface Dialogs {
  alert: (text: string) => Promise<void>;
  confirm: (text: string, action: ConfirmedAction) => Promise<boolean>;
}

const DialogsContext = createContext<Dialogs | null>(null);

/** Shows alerts and confirmations inside the app, one at a time, in the order of the requests. */
export function DialogsProvider({ children }: { children: ReactNode }) {
  const [queue, setQueue] = useState<readonly Question[]>([]);
  const current = queue[0];
  const dialogs = useMemo<Dialogs>(() => {
    const ask = (kind: Question['kind'], text: string, action: ConfirmedAction | null) =>
      new Promise<boolean>((answer) => setQueue((old) => [...old, { kind, text, action, answer }]));
    return {
      alert: (text) => ask('alert', text, null).then(() => undefined),
      confirm: (text, action) => ask('confirm', text, action),
    };
  }, []);
  const finish = useCallback(
    (yes: boolean) => {
      // The dialog closes and restores the focus before the caller continues, so the caller can move it.
      flushSync(() => setQueue((old) => old.filter((question) => question !== current)));
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
              {current.kind === 'confirm' && (
                <Button onClick={dismiss}>{getText('common.cancel')}</Button>
              )}
              <Button
                variant={current.action?.danger ? 'danger' : 'primary'}
                data-first-focus
                onClick={() => finish(true)}
              >
                {current.action?.label ?? getText('common.ok')}
              </Button>
            </>
          }
        >
          {current.action?.target && (
            <p className="truncate muted" dir="auto">
              {current.action.target}
            </p>
          )}
        </Modal>
      )}
    </DialogsContext>
  );
}

export function useDialogs(): Dialogs {
  const dialogs = use(DialogsContext);
  if (!dialogs) throw new Error('useDialogs needs a DialogsProvider above it.');
  return dialogs;
}
