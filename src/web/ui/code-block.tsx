import { type ReactNode, use, useEffect } from 'react';
import { createLazyModule } from '#web/lazy-module.ts';
import type { Token } from '#web/markup/highlight.ts';
import { replaceMentionsWithNames } from '#web/mention-names.ts';
import { getText } from '#web/get-text.ts';
import { useStore } from '#web/use-store.ts';
import { useCopyText } from './copy-text.ts';
import { IsDrawn } from './costly-text.tsx';
import { IconButton } from './icon-button.tsx';
import { useMentionNames } from './mention.tsx';
import styles from './code-block.module.css';

interface Props {
  /** The code as the message has it: it can contain tokens of mentions. */
  code: string;
  language: string;
  /** The code has no colors. */
  isPlain: boolean | undefined;
  tabIndex: number;
}

const highlighter = createLazyModule(() => import('#web/markup/highlight.ts'));

/** A block of code, which scrolls sideways. */
export function CodeBlock({ code: source, language, isPlain, tabIndex }: Props) {
  const isColored = use(IsDrawn) && !isPlain && language !== '';
  const code = replaceMentionsWithNames(source, useMentionNames());
  const copy = useCopyText();
  return (
    <div className={styles.block}>
      <pre
        className={styles.code}
        role="group"
        aria-label={
          language ? getText('ui.code.labelWithLanguage', { language }) : getText('ui.code.label')
        }
        tabIndex={tabIndex}
        dir="ltr"
        translate="no"
      >
        <code>{isColored ? <Highlighted code={code} language={language} /> : code}</code>
      </pre>
      <div className={`${styles.copy} screen-only`}>
        <IconButton
          icon="copy"
          label={getText('ui.code.copy')}
          tabIndex={tabIndex}
          onClick={() => void copy(code)}
        />
      </div>
    </div>
  );
}

/** The colors change no size, so the code does not move when they appear. */
function Highlighted({ code, language }: Pick<Props, 'code' | 'language'>): ReactNode {
  const module = useStore(highlighter);
  useEffect(() => void highlighter.load(), []);
  const token = module?.highlight(code, language);
  return token ? renderTokens(token) : code;
}

function renderTokens({ children }: Token): ReactNode {
  return children.map((child, index) =>
    typeof child === 'string' ? (
      child
    ) : (
      <span key={index} data-token={child.scope ?? undefined}>
        {renderTokens(child)}
      </span>
    ),
  );
}
