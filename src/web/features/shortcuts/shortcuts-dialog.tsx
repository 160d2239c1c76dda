import { Fragment } from 'react';
import { Modal } from '#web/ui/modal.tsx';
import { altModifier, shortcutModifier } from '#web/ui/shortcut-keys.ts';
import styles from './shortcuts-dialog.module.css';

interface Shortcut {
  /** Alternatives. Each is one combination, with its keys in the order in which they are pressed. */
  keys: readonly (readonly string[])[];
  action: string;
}

const groups: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: [[shortcutModifier, 'K']], action: 'Switch to another class' },
      {
        keys: [
          [altModifier, '↑'],
          [altModifier, '↓'],
        ],
        action: 'Previous or next class',
      },
      { keys: [['?'], [shortcutModifier, '/']], action: 'Show this list' },
      { keys: [['Esc']], action: 'Close what is on top' },
    ],
  },
  {
    title: 'Class list',
    shortcuts: [
      { keys: [['↑'], ['↓'], ['Home'], ['End']], action: 'Move between classes' },
      { keys: [['→']], action: 'Options of the class' },
    ],
  },
  {
    title: 'Messages',
    shortcuts: [
      { keys: [[shortcutModifier, 'F']], action: 'Search (press twice for the browser’s own)' },
      { keys: [[altModifier, 'Q']], action: 'Questions of the class' },
      { keys: [['↑'], ['↓'], ['Home'], ['End']], action: 'Move between messages' },
      { keys: [['Page Up'], ['Page Down']], action: 'Scroll by a page' },
      { keys: [['→']], action: 'React or reply' },
      { keys: [['Enter']], action: 'Menu of the message' },
      { keys: [['Esc']], action: 'Back to the message field' },
      { keys: [[shortcutModifier, 'Z']], action: 'Undo a deletion' },
    ],
  },
  {
    title: 'Message field',
    shortcuts: [
      { keys: [['Enter']], action: 'Send' },
      { keys: [['Shift', 'Enter']], action: 'New line' },
      {
        keys: [
          [shortcutModifier, 'B'],
          [shortcutModifier, 'I'],
        ],
        action: 'Bold, italic',
      },
      { keys: [[shortcutModifier, 'E']], action: 'Code' },
      { keys: [[shortcutModifier, 'Shift', 'X']], action: 'Strike through' },
      { keys: [[':']], action: 'Find an emoji by its name' },
      { keys: [['↑']], action: 'Edit your last message, if the field is empty' },
      { keys: [['Page Up'], ['Page Down']], action: 'Scroll the messages' },
      { keys: [['Esc']], action: 'Cancel the reply' },
    ],
  },
];

const moderation: (typeof groups)[number] = {
  title: 'Moderation',
  shortcuts: [
    { keys: [['J'], ['K']], action: 'Next or previous case' },
    { keys: [['1']], action: 'Keep the message, or take no action' },
    { keys: [['2']], action: 'Remove the message' },
    { keys: [['3']], action: 'Mute the person' },
    { keys: [['4']], action: 'Remove the person from the class' },
    { keys: [['5']], action: 'Escalate to operators' },
    { keys: [['1'], ['2']], action: 'Suspend or dismiss; keep or lift after an appeal' },
    { keys: [['Enter']], action: 'Confirm, after the reason' },
    { keys: [['U']], action: 'Undo the last decision, for ten seconds' },
    { keys: [['Esc']], action: 'Leave the field, then cancel' },
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
      title="Keyboard shortcuts"
      text={`In a text field, ${shortcutModifier}+/ opens this list.`}
      onDismiss={onClose}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it. */}
      <div className={styles.groups} role="group" aria-label="Shortcuts" tabIndex={0}>
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
