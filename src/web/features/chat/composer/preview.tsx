import { useDeferredValue } from 'react';
import { changeSetting, useSettings } from '#web/data/settings.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { markupParser } from '#web/markup/markup-parser.ts';
import { hasMarkup } from '#web/markup/message-markup.ts';
import { MessageText } from '#web/ui/message-text.tsx';
import { useStore } from '#web/use-store.ts';
import styles from './preview.module.css';

/** Shows how a text with Markdown will look. The browser remembers whether the member hides the preview. */
export function Preview({ text }: { text: string }) {
  const isShown = useSettings().preview === 'on';
  const shownText = useDeferredValue(text);
  useStore(markupParser);
  if (!hasMarkup(shownText)) return null;
  return (
    <section className={styles.preview} aria-label={getText('chat.preview.label')}>
      {isShown ? (
        <>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it. */}
          <div className={styles.text} dir="auto" tabIndex={0}>
            <MessageText text={shownText} tabIndex={-1} />
          </div>
          <IconButton
            icon="eyeOff"
            label={getText('chat.preview.hide')}
            onClick={() => changeSetting('preview', 'off')}
          />
        </>
      ) : (
        <Button variant="plain" onClick={() => changeSetting('preview', 'on')}>
          {getText('chat.preview.show')}
        </Button>
      )}
    </section>
  );
}
