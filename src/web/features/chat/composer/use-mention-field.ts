// The text of a message field with mentions: what is typed, what to send, and the suggestions after an `@`.
import { useQuery } from '@tanstack/react-query';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { attempt } from '#web/attempt.ts';
import type { Persona } from '#contract/entities.ts';
import { listMentionedIds } from '#contract/mentions.ts';
import { findTags, getShownName } from '#contract/persona-name.ts';
import { listMembers } from '#web/data/members.ts';
import {
  changeDraft,
  insertMention,
  type MentionDraft,
  toMessageText,
} from '#web/data/mention-draft.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import {
  findMentionQuery,
  findSuggestions,
  findUnreachedName,
  type MentionQuery,
  mergePeople,
} from './mention-query.ts';
import type { Suggestions } from './mention-list.tsx';
import { replaceText } from './replace-text.ts';
import { handleSuggestionKey } from './suggestion-keys.ts';

interface Options {
  classId: string;
  room: Room;
  view: Pick<RoomView, 'personas' | 'newest' | 'messages' | 'me' | 'staff' | 'state'>;
  field: RefObject<HTMLTextAreaElement | null>;
  loadInitial: () => MentionDraft;
  /** The stored text of the draft, which another tab can change. */
  storedText?: string;
  onChange: (draft: MentionDraft) => void;
}

/** While a name is typed, the list of members is requested at most this often. */
const membersAgeMs = 60_000;

export function useMentionField(options: Options) {
  const { classId, room, view, field, onChange } = options;
  const id = useId();
  const [draft, setDraft] = useMentionDraft(options);
  /** Null while the field has no focus. */
  const [caret, setCaret] = useState<number | null>(null);
  /** Where the arrow keys or the pointer have moved to. */
  const [active, setActive] = useState<number | null>(null);
  /** The `@` whose suggestions the member closed. */
  const [closedPosition, setClosedPosition] = useState<number | null>(null);
  const caretAfterRender = useRef<number | null>(null);
  const currentQuery = caret === null ? null : attempt(() => findMentionQuery(draft, caret), null);
  const query = currentQuery?.start === closedPosition ? null : currentQuery;
  const suggested = useSuggestedPeople({ classId, room, view, draft, query });
  const { people, suggestedPersonas, unreachedName } = suggested;
  // Someone who types `@` and a beginning means a member, unlike `:`, which is also punctuation.
  const activeIndex = active ?? (query?.name ? 0 : null);
  const activePersona = suggestedPersonas[activeIndex ?? -1];

  useLayoutEffect(() => {
    const position = caretAfterRender.current;
    caretAfterRender.current = null;
    if (position !== null) field.current?.setSelectionRange(position, position);
  });

  const update = (next: MentionDraft) => {
    setDraft(next);
    attempt(() => onChange(next), undefined);
  };
  const change = (text: string) => {
    const end = field.current?.selectionEnd ?? text.length;
    const next = attempt(() => changeDraft(draft, text, end), { text, mentions: [] });
    update(next);
    setCaret(end);
    setActive(null);
    if (closedPosition === null) return;
    const nextQuery = attempt(() => findMentionQuery(next, end), null);
    if (nextQuery?.start !== closedPosition) setClosedPosition(null);
  };
  const choose = (persona: Persona) => {
    const element = field.current;
    if (!query || !element) return;
    const { memberId } = persona;
    const member = { memberId, name: getShownName(people, memberId) };
    const insertion = insertMention(draft, query, member);
    // The field's change event, which this triggers, must not change the new draft.
    typeInsertion(element, query.start, draft.text.length, insertion);
    room.addPersona(persona);
    update(insertion.draft);
    setCaret(insertion.caret);
    caretAfterRender.current = insertion.caret;
  };
  /** @returns whether the key belongs to the suggestions */
  const handleKeyDown = (event: KeyboardEvent): boolean => {
    if (!query) return false;
    return handleSuggestionKey(event, {
      options: suggestedPersonas,
      active: activeIndex,
      onActive: setActive,
      onChoose: choose,
      onClose: () => setClosedPosition(query.start),
    });
  };
  const suggestions: Suggestions = {
    id,
    people: suggestedPersonas,
    tags: findTags(people),
    active: activeIndex,
    onActive: setActive,
    onChoose: choose,
  };
  return {
    text: draft.text,
    /** A typed name that mentions no one. */
    unreachedName,
    /** The text to send, with a token for each mention. */
    messageText: attempt(() => toMessageText(draft), draft.text.trim()),
    change,
    clear: () => update({ text: '', mentions: [] }),
    handleKeyDown,
    suggestions,
    fieldProps: {
      'aria-autocomplete': 'list' as const,
      'aria-controls': suggestedPersonas.length > 0 ? id : undefined,
      'aria-activedescendant': activePersona && `${id}-${activePersona.memberId}`,
      onSelect: () => setCaret(field.current?.selectionEnd ?? null),
      onBlur: () => setCaret(null),
    },
  };
}

/** The people of the class, those whom the typed name may mean, and a typed name that mentions no one. */
function useSuggestedPeople(
  options: Omit<MentionableOptions, 'isNeeded'> & { query: MentionQuery | null },
) {
  const { view, draft, query } = options;
  const members = useMentionableMembers({ ...options, isNeeded: query !== null });
  const people = useMemo(() => mergePeople(members ?? [], view), [members, view]);
  const suggestedPersonas = query
    ? attempt(() => findSuggestions(people, view, query.name), [])
    : [];
  const mayMatch = members === undefined || suggestedPersonas.length > 0;
  const unreachedName = attempt(() => findUnreachedName(draft, mayMatch ? query : null), null);
  return { people, suggestedPersonas, unreachedName };
}

/** The draft of the field, which follows a change in another tab. */
function useMentionDraft({ loadInitial, storedText }: Options) {
  const [draft, setDraft] = useState(loadInitial);
  const [previousStoredText, setPreviousStoredText] = useState(storedText);
  if (storedText !== previousStoredText) {
    setPreviousStoredText(storedText);
    if (storedText !== draft.text) setDraft(loadInitial());
  }
  return [draft, setDraft] as const;
}

/** Changes the field as if the mention was typed, so that the browser can undo it. */
function typeInsertion(
  field: HTMLTextAreaElement,
  from: number,
  previousLength: number,
  { draft, caret }: ReturnType<typeof insertMention>,
): void {
  const to = caret - (draft.text.length - previousLength);
  const insert = draft.text.slice(from, caret);
  replaceText(field, { from, to, insert, selectFrom: caret, selectTo: caret });
}

interface MentionableOptions extends Pick<Options, 'classId' | 'room' | 'view'> {
  draft: MentionDraft;
  isNeeded: boolean;
}

/** The members whom a message can mention, when they have loaded. Adds to the room those whom its unsent texts mention and it does not know. */
function useMentionableMembers(options: MentionableOptions): readonly Persona[] | undefined {
  const { classId, room, view, draft, isNeeded } = options;
  // After a reload, the room may not know the members whom a draft or a waiting message mentions.
  const mentionedIds = [
    ...draft.mentions.map(({ memberId }) => memberId),
    ...attempt(() => listMentionsOfUnsent(view), []),
  ];
  const hasUnknown =
    view.state === 'ready' && mentionedIds.some((memberId) => !view.personas.has(memberId));
  const { data } = useQuery({
    queryKey: ['class', classId, 'mentionable'],
    queryFn: () => listMembers(classId),
    staleTime: membersAgeMs,
    enabled: isNeeded || hasUnknown,
  });
  const personas = data?.personas;
  useEffect(() => {
    if (!hasUnknown) return;
    for (const persona of personas ?? []) {
      const { memberId } = persona;
      if (mentionedIds.includes(memberId) && !view.personas.has(memberId)) {
        room.addPersona(persona);
      }
    }
  });
  return personas;
}

function listMentionsOfUnsent({ messages }: Pick<RoomView, 'messages'>): string[] {
  return messages.flatMap(({ seq, text }) => (seq === null ? listMentionedIds(text) : []));
}
