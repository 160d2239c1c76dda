import { Fragment } from 'react';
import { getText, getTexts } from '#web/get-text.ts';
import { Modal } from '#web/ui/modal.tsx';
import { altModifier, mirrorArrow, shortcutModifier } from '#web/ui/shortcut-keys.ts';
import styles from './shortcuts-dialog.module.css';

interface Shortcut {
  /** Alternatives. Each is one combination, with its keys in the order in which they are pressed. */
  keys: readonly (readonly string[])[];
  action: string;
}

const { home, end, pageUp, pageDown, enter, shift } = getTexts('shortcuts.key');

const groups: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
  {
    title: getText('shortcuts.everywhere.title'),
    shortcuts: [
      { keys: [[shortcutModifier, 'K']], action: getText('shortcuts.everywhere.switch') },
      {
        keys: [
          [altModifier, '↑'],
          [altModifier, '↓'],
        ],
        action: getText('shortcuts.everywhere.neighbor'),
      },
      { keys: [['?'], [shortcutModifier, '/']], action: getText('shortcuts.everywhere.list') },
      { keys: [['Esc']], action: getText('shortcuts.everywhere.close') },
    ],
  },
  {
    title: getText('shortcuts.classes.title'),
    shortcuts: [
      { keys: [['↑'], ['↓'], [home], [end]], action: getText('shortcuts.classes.move') },
      { keys: [[mirrorArrow('→')]], action: getText('shortcuts.classes.options') },
    ],
  },
  {
    title: getText('shortcuts.messages.title'),
    shortcuts: [
      { keys: [[shortcutModifier, 'F']], action: getText('shortcuts.messages.search') },
      { keys: [[altModifier, 'Q']], action: getText('shortcuts.messages.questions') },
      { keys: [['↑'], ['↓'], [home], [end]], action: getText('shortcuts.messages.move') },
      { keys: [[pageUp], [pageDown]], action: getText('shortcuts.messages.scroll') },
      { keys: [[mirrorArrow('→')]], action: getText('shortcuts.messages.react') },
      { keys: [[enter]], action: getText('shortcuts.messages.menu') },
      { keys: [['Esc']], action: getText('shortcuts.messages.back') },
      { keys: [[shortcutModifier, 'Z']], action: getText('shortcuts.messages.undo') },
    ],
  },
  {
    title: getText('shortcuts.field.title'),
    shortcuts: [
      { keys: [[enter]], action: getText('shortcuts.field.send') },
      { keys: [[shift, enter]], action: getText('shortcuts.field.newLine') },
      {
        keys: [
          [shortcutModifier, 'B'],
          [shortcutModifier, 'I'],
        ],
        action: getText('shortcuts.field.bold'),
      },
      { keys: [[shortcutModifier, 'E']], action: getText('shortcuts.field.code') },
      { keys: [[shortcutModifier, shift, 'X']], action: getText('shortcuts.field.strike') },
      { keys: [[':']], action: getText('shortcuts.field.emoji') },
      { keys: [['↑']], action: getText('shortcuts.field.edit') },
      { keys: [[pageUp], [pageDown]], action: getText('shortcuts.field.scroll') },
      { keys: [['Esc']], action: getText('shortcuts.field.cancel') },
    ],
  },
];

const moderation: (typeof groups)[number] = {
  title: getText('shortcuts.moderation.title'),
  shortcuts: [
    { keys: [['J'], ['K']], action: getText('shortcuts.moderation.neighbor') },
    { keys: [['1']], action: getText('shortcuts.moderation.keep') },
    { keys: [['2']], action: getText('shortcuts.moderation.removeMessage') },
    { keys: [['3']], action: getText('shortcuts.moderation.mute') },
    { keys: [['4']], action: getText('shortcuts.moderation.removePerson') },
    { keys: [['5']], action: getText('shortcuts.moderation.escalate') },
    { keys: [['1'], ['2']], action: getText('shortcuts.moderation.suspend') },
    { keys: [[enter]], action: getText('shortcuts.moderation.confirm') },
    { keys: [['U']], action: getText('shortcuts.moderation.undo') },
    { keys: [['Esc']], action: getText('shortcuts.moderation.leave') },
  ],
};

interface Props {
  /** Whether it lists the keys of the moderators' screen, which come first. */
  isModerating: boolean;
  onClose: () => void;
}

/** Lists the keyboard shortcuts. */
export function ShortcutsDialog({ isModerating, onClose }: Props) {
  return (
    <Modal
      title={getText('shortcuts.title')}
      text={getText('shortcuts.hint', { keys: `${shortcutModifier}+/` })}
      onDismiss={onClose}
    >
      <div
        className={styles.groups}
        role="group"
        aria-label={getText('shortcuts.label')}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
        tabIndex={0}
      >
        {(isModerating ? [moderation, ...groups] : groups).map(({ title, shortcuts }) => (
          <Fragment key={title}>
            <h3 className={styles.title}>{title}</h3>
            <dl>
              {shortcuts.map(({ keys, action }) => (
                <div key={action} className={styles.shortcut}>
                  <dt className={styles.action}>{action}</dt>
                  <dd className={styles.keys}>
                    {keys.map((combination) => (
                      <span key={combination.join('+')} className={styles.combination}>
                        {combination.map((key) => (
                          <kbd key={key} className="key">
                            {key}
                          </kbd>
                        ))}
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </Fragment>
        ))}
      </div>
    </Modal>
  );
}
