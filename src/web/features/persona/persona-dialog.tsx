import { type FormEvent, useId, useRef, useState } from 'react';
import { defaultName } from '#contract/default-name.ts';
import type { Persona } from '#contract/entities.ts';
import { errors } from '#contract/errors.ts';
import { personaNameError, tidyPersonaName } from '#contract/persona-name.ts';
import { errorMessage } from '#web/api.ts';
import { useChangePersona } from '#web/data/personas.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { personaLook } from '#web/ui/persona-look.ts';
import { TextField } from '#web/ui/text-field.tsx';
import { IconChoice, iconChoices } from './icon-choice.tsx';
import styles from './persona.module.css';

interface Props {
  classId: string;
  label: string;
  me: Persona;
  /** The icons of the other members in the room. */
  worn: readonly string[];
  onClose: () => void;
}

/** Edits the viewer's persona in one class. The typed name stays until it is saved or discarded. */
export function PersonaDialog({ classId, label, me, worn, onClose }: Props) {
  const form = useId();
  const field = useRef<HTMLInputElement>(null);
  const notify = useNotify();
  const change = useChangePersona(classId);
  const [typed, setTyped] = useState(me.anonymousName === defaultName ? '' : me.anonymousName);
  const [icon, setIcon] = useState(me.icon);
  // Computed once, so that changes of other members do not reorder the choices.
  const [seeds] = useState(() => iconChoices(me.memberId, me.icon, worn));
  const [problem, setProblem] = useState<string | null>(null);
  const anonymousName = tidyPersonaName(typed) || defaultName;

  const refuse = (sentence: string) => {
    setProblem(sentence);
    field.current?.focus();
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (change.isPending) return;
    const error = personaNameError(anonymousName);
    if (error) return refuse(errors[error].message);
    if (anonymousName === me.anonymousName && icon === me.icon) return onClose();
    setProblem(null);
    change.mutate(
      { anonymousName, icon },
      {
        onSuccess: ({ persona }) => {
          notify({ text: `In ${label} you are ${persona.anonymousName} now.` });
          onClose();
        },
        onError: (failure) => refuse(errorMessage(failure)),
      },
    );
  };

  return (
    <Modal
      title={`Who you are in ${label}`}
      text="Everybody in the class sees this name and icon, on your older messages too."
      onDismiss={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={form} aria-disabled={change.isPending}>
            {change.isPending ? 'Saving…' : 'Save'}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={save} noValidate>
        <div className={styles.preview} aria-hidden="true">
          <PersonaIcon seed={icon} size={32} />
          <div>
            <p className={styles.name} style={{ '--hue': personaLook(icon).hue }}>
              <bdi>{anonymousName}</bdi>
            </p>
            <p>This is how others see you.</p>
          </div>
        </div>
        <TextField
          ref={field}
          data-first-focus
          label="Name"
          hint="Leave empty to stay Anonymous."
          placeholder={defaultName}
          value={typed}
          aria-invalid={problem !== null}
          autoComplete="off"
          autoCapitalize="words"
          spellCheck={false}
          enterKeyHint="done"
          dir="auto"
          onChange={({ target }) => {
            setTyped(target.value);
            setProblem(null);
          }}
        />
        <Callout kind="error">{problem}</Callout>
        <IconChoice seeds={seeds} chosen={icon} onChoose={setIcon} />
        <p className={styles.note}>
          Only for {label}. Reusing a name from another class or site can give you away.
        </p>
      </form>
    </Modal>
  );
}
