import { getText } from '#web/get-text.ts';
import { MessageText } from '#web/ui/message-text.tsx';
import styles from './class-texts.module.css';

interface Props {
  description: string;
  rules: string;
}

/** The description and the rules of a class, with the markup of messages. */
export function ClassTexts({ description, rules }: Props) {
  const label = getText('classSettings.texts.label');
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
    <div className={styles.texts} role="group" aria-label={label} tabIndex={0}>
      {description && (
        <section>
          <h3>{getText('classSettings.description.label')}</h3>
          <div className={styles.text} dir="auto">
            <MessageText text={description} tabIndex={0} />
          </div>
        </section>
      )}
      {rules && (
        <section>
          <h3>{getText('classSettings.rules.label')}</h3>
          <div className={styles.text} dir="auto">
            <MessageText text={rules} tabIndex={0} />
          </div>
        </section>
      )}
    </div>
  );
}
