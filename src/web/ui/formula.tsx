import { use, useEffect, useState } from 'react';
import { getText } from '#web/get-text.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import { useStore } from '#web/use-store.ts';
import { TextButton } from './text-button.tsx';
import { IsDrawn } from './costly-text.tsx';
import type { FormulaProps } from './formula-props.ts';
import styles from './formula.module.css';

/** Formulas that are drawn before their font has loaded change their height when it comes. */
const maxFontWaitMs = 2000;

const renderedFormula = createLazyModule(async () => {
  const code = import('./rendered-formula.tsx');
  await Promise.all([code, waitForFont()]);
  return code;
});

export const loadFormulas = renderedFormula.load;

async function waitForFont(): Promise<void> {
  const timeout = new Promise((resolve) => setTimeout(resolve, maxFontWaitMs));
  await Promise.race([document.fonts.load("1em 'STIX Two Math'"), timeout]).catch(() => undefined);
}

interface Props extends FormulaProps {
  /** The formula exceeds the budget of its message, so it is drawn only on request. */
  isPlain: boolean | undefined;
}

export function Formula({ isPlain, ...props }: Props) {
  return isPlain ? <FormulaOnRequest {...props} /> : <DrawnFormula {...props} />;
}

function FormulaOnRequest(props: FormulaProps) {
  const [isShown, setIsShown] = useState(false);
  return (
    <>
      {isShown ? <DrawnFormula {...props} /> : <code translate="no">{props.typedSource}</code>}{' '}
      <span className="screen-only">
        <TextButton
          tabIndex={props.tabIndex}
          aria-expanded={isShown}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? getText('ui.formula.hide') : getText('ui.formula.show')}
        </TextButton>
      </span>
    </>
  );
}

/** A formula, or its source in one line until it is near the window and the code of formulas has loaded. */
function DrawnFormula(props: FormulaProps) {
  const isDrawn = use(IsDrawn);
  const code = useStore(renderedFormula);
  useEffect(() => void renderedFormula.load(), []);
  if (isDrawn && code) return <code.RenderedFormula {...props} />;
  return (
    <span
      className={`${props.display ? styles.display : styles.long} ${styles.waiting}`}
      data-display={props.display || undefined}
      translate="no"
    >
      <code>{props.typedSource}</code>
      {props.closing}
    </span>
  );
}
