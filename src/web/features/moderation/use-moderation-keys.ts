import { useEffect, useEffectEvent } from 'react';
import { useSettings } from '#web/data/settings.ts';
import { getShortcutKey, isComposing, isTextEntry } from '#web/ui/shortcut-keys.ts';
import { hasOpenLayer } from '#web/ui/use-escape.ts';
import { type Outcome, outcomes } from './decision.ts';

interface Actions {
  step(offset: 1 | -1): void;
  /** The digit of a decision. */
  choose(key: number): void;
  undo(): void;
  close(): void;
}

/** The digit of each outcome, as its button shows it. */
export const outcomeKeys = Object.fromEntries(
  outcomes.map((outcome, index) => [outcome, String(index + 1)]),
) as Record<Outcome, string>;

/** Handles Escape, and keys of one character, unless they are turned off or a text field has the focus. The list that '?' opens names them. */
export function useModerationKeys({ step, choose, undo, close }: Actions): void {
  const { characterKeys } = useSettings();
  const handleKey = (key: string): boolean => {
    if (characterKeys === 'off') return false;
    if (/^[1-9]$/.test(key)) choose(Number(key));
    else if (key === 'j') step(1);
    else if (key === 'k') step(-1);
    else if (key === 'u') undo();
    else return false;
    return true;
  };
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const hasModifier = ctrlKey || metaKey || altKey;
    if (hasModifier || event.defaultPrevented || isComposing(event) || hasOpenLayer()) return;
    if (key === 'Escape') {
      const { activeElement } = document;
      // The first Escape leaves a text field, so that the keys work again.
      if (isTextEntry(activeElement)) (activeElement as HTMLElement).blur();
      else close();
      return;
    }
    if (!isTextEntry(event.target) && handleKey(getShortcutKey(event))) event.preventDefault();
  });
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => onKeyDown(event);
    addEventListener('keydown', handleKeyDown);
    return () => removeEventListener('keydown', handleKeyDown);
  }, []);
}
