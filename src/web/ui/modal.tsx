import { type ReactNode, useId } from 'react';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { useBackToClose } from '#web/ui/use-back-to-close.ts';
import { useNativeDialog } from '#web/ui/use-native-dialog.ts';
import styles from './modal.module.css';

interface Props {
  /** The role of an alert. A dialog needs none. */
  role?: 'alertdialog';
  title?: string;
  text: string;
  /** Shown between the text and the actions. */
  children?: ReactNode;
  /** The buttons; by default, one that closes the dialog. */
  actions?: ReactNode;
  onDismiss: () => void;
}

/**
 * A native modal dialog. The browser traps and restores the focus. It needs no lazily loaded code, so an
 * alert about a lost network can always be shown.
 */
export function Modal({ role, title, text, children, actions, onDismiss }: Props) {
  const id = useId();
  const dialog = useNativeDialog(onDismiss);
  useBackToClose(onDismiss);
  return (
    <dialog
      ref={dialog}
      role={role}
      className={styles.modal}
      aria-labelledby={title ? `${id}-title` : `${id}-text`}
      aria-describedby={title ? `${id}-text` : undefined}
      onClose={() => {
        if (dialog.current?.open === false) onDismiss();
      }}
    >
      {title && (
        <h2 className={styles.title} id={`${id}-title`}>
          {title}
        </h2>
      )}
      <p className={styles.text} id={`${id}-text`}>
        {text}
      </p>
      {children}
      <div className={styles.actions}>
        {actions ?? (
          <Button data-first-focus onClick={onDismiss}>
            {getText('common.close')}
          </Button>
        )}
      </div>
    </dialog>
  );
}
