import { type FormEvent, useId, useRef, useState } from 'react';
import { defaultName } from '#contract/default-name.ts';
import { findPersonaNameError, tidyPersonaName } from '#contract/persona.ts';
import type { Persona } from '#contract/entities.ts';
import { isUnnamed, toShownName, toTileName } from '#contract/persona-name.ts';
import { browserErrors } from '#contract/browser-errors.ts';
import { toErrorMessage } from '#web/api.ts';
import { type PersonaDraft, personaDrafts } from '#web/data/drafts.ts';
import { useCommand } from '#web/data/use-call.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind, PersonaName } from '#web/ui/persona-name.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { IconChoice, listIconChoices } from './icon-choice.tsx';
import styles from './persona.module.css';

interface Props {
  classId: string;
  label: string;
  me: Persona;
  /** Keeps the icon of a member whom no one has seen yet. Null: others see the persona. */
  onChooseIcon: ((icon: string) => void) | null;
  /** The icons of the other members in the room. */
  takenIcons: readonly string[];
  onClose: () => void;
}

/** Edits the viewer's persona in one class. Esc keeps what was typed and chosen until the dialog opens again. */
export function PersonaDialog(props: Props) {
  const { classId, label, takenIcons, onChooseIcon, onClose } = props;
  const [me] = useState(props.me);
  const form = useId();
  const problemId = useId();
  const field = useRef<HTMLInputElement>(null);
  const notify = useNotify();
  const saving = useCommand('changePersona');
  const [{ typed, icon }, setDraft] = useState(() => personaDrafts.get(classId) ?? toDraft(me));
  // Computed once, so that changes of other members do not reorder the choices.
  const [seeds] = useState(() => listIconChoices(me.memberId, me.icon, takenIcons));
  const [problem, setProblem] = useState<string | null>(null);
  const anonymousName = tidyPersonaName(typed) || defaultName;

  const change = (next: Partial<PersonaDraft>) => {
    const draft = { typed, icon, ...next };
    setDraft(draft);
    personaDrafts.set(classId, draft);
  };
  const discardDraftAndClose = () => {
    personaDrafts.delete(classId);
    onClose();
  };
  const reject = (sentence: string) => {
    setProblem(sentence);
    field.current?.focus();
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (saving.isPending) return;
    const error = findPersonaNameError(anonymousName);
    if (error) return reject(browserErrors[error].message);
    if (anonymousName === me.anonymousName && icon === me.icon) return discardDraftAndClose();
    if (onChooseIcon && anonymousName === defaultName) {
      onChooseIcon(icon);
      return discardDraftAndClose();
    }
    setProblem(null);
    saving.mutate(
      { params: { classId }, body: { anonymousName, icon } },
      {
        onSuccess: ({ persona }) => {
          notify({ text: `You are now ${toShownName(persona)} in ${label}.` });
          discardDraftAndClose();
        },
        onError: (failure) => reject(toErrorMessage(failure)),
      },
    );
  };

  return (
    <Modal
      title={`Who you are in ${label}`}
      text="Everyone in the class sees this name and icon, also on your older messages."
      onDismiss={onClose}
      actions={
        <>
          <Button onClick={discardDraftAndClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={form} aria-disabled={saving.isPending}>
            {saving.isPending ? 'Saving…' : 'Save'}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={save} noValidate>
        <div className={styles.preview} aria-hidden="true">
          <PersonaIcon seed={icon} size={32} />
          <div>
            <p>
              <PersonaName persona={{ anonymousName, icon }} />{' '}
              <PersonaKind persona={{ anonymousName }} />
            </p>
            <p>This is how others see you.</p>
          </div>
        </div>
        <TextField
          ref={field}
          data-first-focus
          label="Name"
          hint={`Leave empty to stay ${defaultName}: your name is then that of your icon.`}
          placeholder={toTileName(icon)}
          value={typed}
          problemId={problem === null ? undefined : problemId}
          autoComplete="off"
          autoCapitalize="words"
          spellCheck={false}
          enterKeyHint="done"
          dir="auto"
          onChange={({ target }) => {
            change({ typed: target.value });
            setProblem(null);
          }}
        />
        <Callout kind="error" id={problemId}>
          {problem}
        </Callout>
        <IconChoice
          seeds={seeds}
          selectedIcon={icon}
          onChoose={(newIcon) => change({ icon: newIcon })}
        />
        <p className="meta">
          Only for {label}. Reusing a name from another class or site can give you away.
        </p>
      </form>
    </Modal>
  );
}

function toDraft({ anonymousName, icon }: Persona): PersonaDraft {
  return { typed: isUnnamed({ anonymousName }) ? '' : anonymousName, icon };
}
