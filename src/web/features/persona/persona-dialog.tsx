import { useId, useState } from 'react';
import { defaultName } from '#contract/default-name.ts';
import { findPersonaNameError, tidyPersonaName } from '#contract/persona.ts';
import type { Persona } from '#contract/entities.ts';
import { isUnnamed, toShownName, toTileName } from '#contract/persona-name.ts';
import { type PersonaDraft, personaDrafts } from '#web/data/drafts.ts';
import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Form, useForm } from '#web/ui/form.tsx';
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

const nameErrors = {
  NAME_EMPTY: getText('error.NAME_EMPTY'),
  NAME_TOO_LONG: getText('error.NAME_TOO_LONG'),
  NAME_CHARACTERS: getText('error.NAME_CHARACTERS'),
};

/** Edits the viewer's persona in one class. Esc keeps what was typed and chosen until the dialog opens again. */
export function PersonaDialog(props: Props) {
  const { classId, label, takenIcons, onChooseIcon, onClose } = props;
  const [me] = useState(props.me);
  const formId = useId();
  const problemId = useId();
  const notify = useNotify();
  // Computed once, so that changes of other members do not reorder the choices.
  const [seeds] = useState(() => listIconChoices(me.memberId, me.icon, takenIcons));
  const discardDraftAndClose = () => {
    personaDrafts.delete(classId);
    onClose();
  };
  const saving = useCommand('changePersona', {
    onSuccess: ({ persona }) => {
      notify({
        text: getText('persona.dialog.done', { name: toShownName(persona), className: label }),
      });
      discardDraftAndClose();
    },
  });
  const form = useForm({
    fields: () => personaDrafts.get(classId) ?? toDraft(me),
    command: saving,
    onChange: (draft) => personaDrafts.set(classId, draft),
    findProblems({ typed }) {
      const error = findPersonaNameError(toName(typed));
      return { typed: error && nameErrors[error] };
    },
    findWrongField: () => 'typed',
    onSubmit({ typed, icon: chosenIcon }) {
      const name = toName(typed);
      if (name === me.anonymousName && chosenIcon === me.icon) return discardDraftAndClose();
      if (onChooseIcon && name === defaultName) {
        onChooseIcon(chosenIcon);
        return discardDraftAndClose();
      }
      saving.mutate({ params: { classId }, body: { anonymousName: name, icon: chosenIcon } });
    },
  });
  const { icon } = form.fields;
  const anonymousName = toName(form.fields.typed);
  const problem = form.problems.typed ?? null;

  return (
    <Modal
      title={getText('persona.title', { className: label })}
      text={getText('persona.dialog.lead')}
      onDismiss={() => {
        if (!form.isPending) onClose();
      }}
      actions={
        <>
          <Button aria-disabled={form.isPending} onClick={discardDraftAndClose}>
            {getText('common.cancel')}
          </Button>
          <Button variant="primary" type="submit" form={formId} aria-disabled={form.isPending}>
            {form.isPending ? getText('common.saving') : getText('common.save')}
          </Button>
        </>
      }
    >
      <Form form={form} id={formId} className="stack">
        <div className={styles.preview} aria-hidden="true">
          <PersonaIcon seed={icon} size={32} />
          <div>
            <p>
              <PersonaName persona={{ anonymousName, icon }} />{' '}
              <PersonaKind persona={{ anonymousName }} />
            </p>
            <p>{getText('persona.dialog.preview')}</p>
          </div>
        </div>
        <TextField
          data-first-focus
          label={getText('persona.dialog.name')}
          hint={getText('persona.dialog.name.hint')}
          placeholder={toTileName(icon)}
          autoComplete="off"
          autoCapitalize="words"
          spellCheck={false}
          enterKeyHint="done"
          dir="auto"
          {...form.bind('typed')}
          problem={null}
          problemId={problem === null ? undefined : problemId}
        />
        <Callout kind="error" id={problemId}>
          {problem}
        </Callout>
        <IconChoice
          seeds={seeds}
          selectedIcon={icon}
          onChoose={(newIcon) => form.change({ icon: newIcon })}
        />
        <p className="meta">{getText('persona.dialog.note', { className: label })}</p>
      </Form>
    </Modal>
  );
}

const toName = (typed: string) => tidyPersonaName(typed) || defaultName;

function toDraft({ anonymousName, icon }: Persona): PersonaDraft {
  return { typed: isUnnamed({ anonymousName }) ? '' : anonymousName, icon };
}
