import {
  cloneElement,
  createElement,
  Fragment,
  isValidElement,
  type ReactElement,
  type ReactNode,
} from 'react';
import type { Message } from '#contract/message-format.ts';
import type { RichTextValues } from '#texts/text-values.ts';
import { findTranslation, listParts } from '#web/get-text.ts';

/**
 * Returns a text of the catalogue that has tags. `See <link>the rules</link>` with `{ link: <Link to="/rules" /> }` puts the
 * words into the link.
 */
export function getRichText<Key extends keyof RichTextValues<ReactElement>>(
  key: Key,
  values: RichTextValues<ReactElement>[Key],
): ReactNode;
export function getRichText(place: unknown, english: unknown, values?: unknown): ReactNode {
  const entries = Object.entries(values as object).map(([name, value]: [string, unknown]) => [
    name,
    isValidElement(value) ? (parts: ReactNode[]) => cloneElement(value, {}, ...parts) : value,
  ]);
  const parts = listParts(findTranslation(place), english as Message, Object.fromEntries(entries));
  return createElement(Fragment, null, ...(parts as ReactNode[]));
}
