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
import { findMessage, listParts } from '#web/get-text.ts';

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
  const message = findMessage(place as number, english as Message);
  return createElement(
    Fragment,
    null,
    ...(listParts(message, Object.fromEntries(entries)) as ReactNode[]),
  );
}
