// A text that is being typed: it shows `@Name` for each chosen mention and remembers which member each one is.
import { escapeMentions, toMentionToken, splitMentions } from '#contract/mentions.ts';
import { toMentionLabel } from '#web/mention-names.ts';
import type { Personas } from '#contract/persona-name.ts';
import { tidyMessageText, trimMessageText } from '#contract/text.ts';

export interface MentionDraft {
  text: string;
  /** The mentions in the order of the text, without overlaps. */
  mentions: readonly DraftMention[];
}

export interface DraftMention {
  /** The offset of the `@`. */
  at: number;
  /** `@Name`, as it was chosen. */
  label: string;
  memberId: string;
}

export const emptyDraft: MentionDraft = { text: '', mentions: [] };

const getMentionEnd = ({ at, label }: DraftMention) => at + label.length;

/**
 * Moves the mentions to their places in the new text. A mention whose name was changed becomes ordinary text.
 *
 * @param caret the end of the selection after the change
 */
export function changeDraft(draft: MentionDraft, text: string, caret: number): MentionDraft {
  const previousText = draft.text;
  // Equal names are told apart by the caret: the text after it was not typed now.
  const tail = Math.min(text.length - caret, previousText.length);
  let commonEndLength = 0;
  while (
    commonEndLength < tail &&
    previousText.at(-1 - commonEndLength) === text.at(-1 - commonEndLength)
  ) {
    commonEndLength++;
  }
  const start = countCommonStart(
    previousText,
    text,
    Math.min(previousText.length, text.length) - commonEndLength,
  );
  const shift = text.length - previousText.length;
  const mentions = draft.mentions.flatMap((mention) => {
    if (getMentionEnd(mention) <= start) return mention;
    if (mention.at >= previousText.length - commonEndLength) {
      return { ...mention, at: mention.at + shift };
    }
    const at = findAmongMarks(previousText, text, mention.at);
    return at !== null && text.startsWith(mention.label, at) ? { ...mention, at } : [];
  });
  return { text, mentions };
}

/** Where the character of the previous text is if only marks of Markdown were added or removed. Null: more has changed. */
function findAmongMarks(previousText: string, text: string, offset: number): number | null {
  const withoutMarks = (source: string) => source.replace(/[*_~`\s]+/g, '');
  if (withoutMarks(previousText) !== withoutMarks(text)) return null;
  let lettersBefore = withoutMarks(previousText.slice(0, offset)).length;
  for (const { index } of text.matchAll(/[^*_~`\s]/g)) {
    if (lettersBefore === 0) return index;
    lettersBefore -= 1;
  }
  return null;
}

function countCommonStart(firstText: string, secondText: string, max: number): number {
  let length = 0;
  while (length < max && firstText[length] === secondText[length]) length++;
  return length;
}

export interface MentionedMember {
  memberId: string;
  /** The shown name. */
  name: string;
}

/** Replaces what is between the two offsets, and a space after it, with a mention and a space. */
export function insertMention(
  draft: MentionDraft,
  range: { start: number; end: number },
  member: MentionedMember,
): { draft: MentionDraft; caret: number } {
  const { start, end } = range;
  const label = `@${member.name}`;
  const rest = draft.text.slice(end).replace(/^ /, '');
  const text = `${draft.text.slice(0, start)}${label} ${rest}`;
  const caret = start + label.length + 1;
  const newMention = { at: start, label, memberId: member.memberId };
  const changedDraft = changeDraft(draft, text, caret);
  const mentions = [...changedDraft.mentions, newMention].toSorted(
    (first, second) => first.at - second.at,
  );
  return { draft: { text, mentions }, caret };
}

/** Appends a mention and a space. */
export function appendMention(draft: MentionDraft, member: MentionedMember): MentionDraft {
  const text = /(^|\s)$/.test(draft.text) ? draft.text : `${draft.text} `;
  const range = { start: text.length, end: text.length };
  return insertMention({ ...draft, text }, range, member).draft;
}

/** The text to send. */
export function toMessageText({ text, mentions }: MentionDraft): string {
  let from = 0;
  let messageText = '';
  for (const mention of mentions) {
    // A backslash before the mention would escape it.
    if (text[mention.at - 1] === '\\') continue;
    messageText += escapeMentions(text.slice(from, mention.at)) + toMentionToken(mention.memberId);
    from = getMentionEnd(mention);
  }
  return trimMessageText(tidyMessageText(messageText + escapeMentions(text.slice(from))));
}

/** The draft of an edit. */
export function parseMessageText(messageText: string, personas: Personas): MentionDraft {
  const mentions: DraftMention[] = [];
  let text = '';
  for (const part of splitMentions(messageText)) {
    if ('text' in part) text += part.text;
    else {
      const label = toMentionLabel(personas, part.memberId);
      mentions.push({ at: text.length, label, memberId: part.memberId });
      text += label;
    }
  }
  return { text, mentions };
}
