// Mentions in the text of a message: `<@` + the public memberId of the mentioned member + `>`. The stored text holds
// these tokens, so a member who is renamed stays mentioned. A backslash before a token makes it ordinary text.
import { getShownName, type Personas } from './persona-name.ts';

interface MentionToken {
  start: number;
  end: number;
  memberId: string;
  /** A backslash precedes it: it is no mention. */
  isEscaped: boolean;
}

/** Finds the tokens of mentions, also escaped ones. */
export function parseMentionTokens(text: string): MentionToken[] {
  if (!text.includes('<@')) return [];
  return [...text.matchAll(/<@([\w-]{16})>/g)].map(({ index, 0: token, 1: memberId = '' }) => ({
    start: index,
    end: index + token.length,
    memberId,
    isEscaped: text[index - 1] === '\\',
  }));
}

const parseMentions = (text: string) =>
  parseMentionTokens(text).filter(({ isEscaped }) => !isEscaped);

/** The memberIds that the text mentions, each once. */
export function listMentionedIds(text: string): string[] {
  const mentions = parseMentions(text);
  return mentions.length === 0 ? [] : [...new Set(mentions.map(({ memberId }) => memberId))];
}

export function isMentionedIn(text: string, memberId: string): boolean {
  return text.includes(toMentionToken(memberId)) && listMentionedIds(text).includes(memberId);
}

export function toMentionToken(memberId: string): string {
  return `<@${memberId}>`;
}

/** Escapes what looks like a mention in typed text, so that it is shown as it was typed. */
export function escapeMentions(typedText: string): string {
  return typedText.replace(/<@[\w-]{16}>/g, '\\$&');
}

/** A mention, or the text between two mentions as its author typed it. */
export type TextPart = { text: string } | { memberId: string };

export function splitMentions(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  let plainText = '';
  const addTyped = () => {
    if (plainText) parts.push({ text: plainText });
    plainText = '';
  };
  for (const { start, end, memberId, isEscaped } of parseMentionTokens(text)) {
    if (isEscaped) plainText += text.slice(from, start - 1) + text.slice(start, end);
    else {
      plainText += text.slice(from, start);
      addTyped();
      parts.push({ memberId });
    }
    from = end;
  }
  plainText += text.slice(from);
  addTyped();
  return parts;
}

/** How a mention is shown: `@Ada`. */
export function toMentionLabel(
  personas: Personas,
  memberId: string,
  deletedMember = 'deleted member',
): string {
  return `@${personas.has(memberId) ? getShownName(personas, memberId) : deletedMember}`;
}

/** The text with names instead of tokens, as its author typed it. */
export function replaceMentionsWithNames(
  text: string,
  personas: Personas,
  deletedMember?: string,
): string {
  return splitMentions(text)
    .map((part) =>
      'text' in part ? part.text : toMentionLabel(personas, part.memberId, deletedMember),
    )
    .join('');
}

/** The text with spaces instead of mentions: same length, and no memberId. */
export function replaceMentionsWithSpaces(text: string): string {
  return parseMentions(text).reduce(
    (blanked, { start, end }) =>
      blanked.slice(0, start) + ' '.repeat(end - start) + blanked.slice(end),
    text,
  );
}

/** Replaces memberIds in all tokens, escaped ones included. */
export function replaceMentionIds(text: string, toNewId: (memberId: string) => string): string {
  return text.replace(/<@([\w-]{16})>/g, (_, memberId: string) =>
    toMentionToken(toNewId(memberId)),
  );
}
