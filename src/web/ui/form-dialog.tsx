import { type ReactNode, useEffect, useId } from 'react';
import { getText } from '#web/get-text.ts';
import { Button } from './button.tsx';
import { Callout } from './callout.tsx';
import { Form, type FormState } from './form.tsx';
import { Modal } from './modal.tsx';

interface Props {
  title: string;
  text: string;
  variant?: 'primary' | 'danger';
  submitLabel: string;
  /** The label while the form is being sent. */
  pendingLabel?: string;
  /** The dialog opens on its button to submit, because it has no field yet. */
  startsOnSubmit?: boolean;
  form: FormState;
  /** What is wrong with no single field, and does not come from the server. */
  error?: string | null;
  onCancel: () => void;
  /** Esc closes the dialog, and keeps what was typed. By default, it cancels. */
  onEsc?: () => void;
  /** The fields of the form. */
  children: ReactNode;
}

/** A dialog with a form. It stays open while the form is being sent. */
export function FormDialog(props: Props) {
  const { title, text, variant = 'primary', submitLabel, startsOnSubmit, form, children } = props;
  const { pendingLabel = submitLabel, onCancel, onEsc = onCancel } = props;
  const { isPending, ref } = form;
  const error = form.error ?? props.error ?? null;
  const id = useId();
  useEffect(() => {
    // On a small screen, the sentence can be below what is visible.
    if (error !== null) ref.current?.lastElementChild?.scrollIntoView({ block: 'nearest' });
  }, [error, ref]);
  const close = (action: () => void) => {
    if (!isPending) action();
  };
  return (
    <Modal
      title={title}
      text={text}
      onDismiss={() => close(onEsc)}
      actions={
        <>
          <Button onClick={() => close(onCancel)}>{getText('common.cancel')}</Button>
          <Button
            variant={variant}
            type="submit"
            form={id}
            aria-disabled={isPending}
            data-first-focus={startsOnSubmit || undefined}
          >
            {isPending ? pendingLabel : submitLabel}
          </Button>
        </>
      }
    >
      <Form form={form} id={id}>
        {children}
        <Callout kind="error">{error}</Callout>
      </Form>
    </Modal>
  );
}
