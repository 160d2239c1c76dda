import { useEffect, useSyncExternalStore } from 'react';
import { createLazyModule } from '#web/lazy-module.ts';
import type { FormulaProps } from './rendered-formula.tsx';

const rendered = createLazyModule(() => import('./rendered-formula.tsx'));

/** A formula, or its source until the code of formulas has loaded. */
export function Formula(props: FormulaProps) {
  const code = useSyncExternalStore(rendered.subscribe, rendered.getSnapshot);
  useEffect(() => void rendered.load(), []);
  if (code) return <code.RenderedFormula {...props} />;
  const marks = props.display ? '$$' : '$';
  return <code>{`${marks}${props.source}${marks}`}</code>;
}
