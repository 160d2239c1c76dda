// Names instead of the tokens of mentions, in the reader's language.
import * as mentions from '#contract/mentions.ts';
import type { Personas } from '#contract/persona-name.ts';
import { getText } from '#web/get-text.ts';

const deletedMember = getText('markup.deletedMember');

export const toMentionLabel = (personas: Personas, memberId: string): string =>
  mentions.toMentionLabel(personas, memberId, deletedMember);

export const replaceMentionsWithNames = (text: string, personas: Personas): string =>
  mentions.replaceMentionsWithNames(text, personas, deletedMember);
