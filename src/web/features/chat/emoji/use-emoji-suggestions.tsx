import {
  type KeyboardEvent,
  lazy,
  type RefObject,
  Suspense,
  useEffect,
  useId,
  useState,
} from 'react';
import { getText } from '#web/get-text.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { rememberEmoji } from './recent-emoji.ts';
import { replaceText } from '../composer/replace-text.ts';
import { handleSuggestionKey } from '../composer/suggestion-keys.ts';
import { type EmojiQuery, findFinishedEmoji, findUnfinishedEmoji } from './emoji-query.ts';
import type { NamedEmoji } from './find-emoji.ts';

const maxSuggestions = 6;
const loadSuggestionList = () => import('./emoji-suggestions.tsx');
const EmojiSuggestions = lazy(() =>
  loadSuggestionList().then((module) => ({ default: module.EmojiSuggestions })),
);
const loadEmojiNames = () => import('./find-emoji.ts');

/**
 * Suggests emoji after a colon and two letters, and replaces `:name:` by its emoji. The text field keeps the
 * focus: `aria` tells screen readers which suggestion is active.
 */
export function useEmojiSuggestions(ref: RefObject<HTMLTextAreaElement | null>) {
  const listId = useId();
  const [query, setQuery] = useState<EmojiQuery | null>(null);
  /** The position of the colon whose suggestions the member closed. */
  const [closedPosition, setClosedPosition] = useState<number | null>(null);
  const { suggestions, active, setActive } = useSuggestions(query?.name);
  const isOpen = query !== null && suggestions.length > 0 && query.from !== closedPosition;

  const insert = (emoji: string, { from, to }: EmojiQuery) => {
    const field = ref.current;
    if (!field) return;
    // The caret can be behind the name if the member has typed more.
    const caret = Math.max(field.selectionEnd, to) + emoji.length - (to - from);
    replaceText(field, { from, to, insert: emoji, selectFrom: caret, selectTo: caret });
    rememberEmoji(emoji);
  };

  return {
    popup: (
      <>
        <VisuallyHidden>
          <span role="status">
            {isOpen && getText('chat.emoji.suggested', { count: suggestions.length })}
          </span>
        </VisuallyHidden>
        {isOpen && (
          <Suspense>
            <EmojiSuggestions
              id={listId}
              field={ref}
              suggestions={suggestions}
              active={active}
              onActive={setActive}
              onPick={(emoji) => insert(emoji, query)}
            />
          </Suspense>
        )}
      </>
    ),
    aria: isOpen
      ? ({
          'aria-autocomplete': 'list',
          'aria-controls': listId,
          'aria-activedescendant':
            active === null ? undefined : `${listId}-${suggestions[active]?.emoji ?? ''}`,
        } as const)
      : {},
    /** Follows a change of the text or the caret. `typedText` is what the member has just typed. */
    follow(typedText?: string | null) {
      const field = ref.current;
      if (!field || field.selectionStart !== field.selectionEnd) return setQuery(null);
      const { value, selectionEnd: caret } = field;
      const nextQuery = document.activeElement === field ? findUnfinishedEmoji(value, caret) : null;
      setQuery((previousQuery) =>
        previousQuery &&
        nextQuery &&
        previousQuery.name === nextQuery.name &&
        previousQuery.to === nextQuery.to
          ? previousQuery
          : nextQuery,
      );
      if (nextQuery?.from !== closedPosition) setClosedPosition(null);
      const finishedQuery = typedText === ':' ? findFinishedEmoji(value, caret) : null;
      if (!finishedQuery) return;
      void loadEmojiNames().then(
        ({ findEmojiByName }) => {
          const emoji = findEmojiByName(finishedQuery.name);
          const isUnchanged = field.value.startsWith(value.slice(0, finishedQuery.to));
          if (emoji && isUnchanged) insert(emoji, finishedQuery);
        },
        () => undefined,
      );
    },
    close: () => setQuery(null),
    /** @returns whether the list handled the key */
    onKeyDown(event: KeyboardEvent): boolean {
      if (!isOpen) return false;
      return handleSuggestionKey(event, {
        options: suggestions,
        active,
        onActive: setActive,
        onChoose: ({ emoji }) => insert(emoji, query),
        onClose: () => setClosedPosition(query.from),
      });
    },
  };
}

function useSuggestions(name: string | undefined) {
  const [suggestions, setSuggestions] = useState<readonly NamedEmoji[]>([]);
  /** Where the arrow keys or the pointer have moved to, for the name that was typed then. */
  const [choice, setChoice] = useState<{ name: string | undefined; index: number } | null>(null);
  const chosenIndex = choice?.name === name ? choice?.index : null;
  useEffect(() => {
    let isCurrent = true;
    const show = (nextQuery: readonly NamedEmoji[]) => {
      if (isCurrent) setSuggestions(nextQuery);
    };
    if (name === undefined) {
      show([]);
    } else {
      // The list appears only with its code, so that a failed load leaves plain text.
      Promise.all([loadEmojiNames(), loadSuggestionList()]).then(
        ([{ findEmoji }]) => show(findEmoji(name, maxSuggestions)),
        () => show([]),
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [name]);
  const namedIndex = suggestions.findIndex(({ names }) =>
    names.includes(name?.toLowerCase() ?? ''),
  );
  return {
    suggestions,
    active: chosenIndex ?? (namedIndex < 0 ? null : namedIndex),
    setActive: (index: number) => setChoice({ name, index }),
  };
}
