import { type ReactNode, type SubmitEvent, useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { Callout } from './callout.tsx';
import { Modal } from './modal.tsx';
import { useWrongFieldFocus } from './use-wrong-field-focus.ts';

interface Props {
  title: string;
  text: string;
  variant?: 'primary' | 'danger';
  submitLabel: string;
  isPending: boolean;
  /** What is wrong with no single field. */
  error: string | null;
  onSubmit: () => void;
  onCancel: () => void;
  /** Esc closes the dialog, and keeps what was typed. By default, it cancels. */
  onEsc?: () => void;
  /** The fields of the form. */
  children: ReactNode;
}

/** A dialog with a form. It stays open while the form is being sent. */
export function FormDialog(props: Props) {
  const { title, text, variant = 'primary', submitLabel, isPending, error, children } = props;
  const { onSubmit, onCancel, onEsc = onCancel } = props;
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // On a small screen, the sentence can be below what is visible.
    if (error !== null) form.current?.lastElementChild?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  const focusWrongField = useWrongFieldFocus(form, isPending);
  const close = (action: () => void) => {
    if (!isPending) action();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isPending) return;
    onSubmit();
    focusWrongField();
  };
  return (
    <Modal
      title={title}
      text={text}
      onDismiss={() => close(onEsc)}
      actions={
        <>
          <Button onClick={() => close(onCancel)}>Cancel</Button>
          <Button variant={variant} type="submit" form={id} aria-disabled={isPending}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form ref={form} id={id} onSubmit={submit} noValidate>
        {children}
        <Callout kind="error">{error}</Callout>
      </form>
    </Modal>
  );
}
