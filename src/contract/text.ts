// Control characters and direction overrides, which no text may contain.
// oxlint-disable-next-line no-control-regex
const forbiddenInLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
// oxlint-disable-next-line no-control-regex
const forbiddenInMessage = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202d\u202e]/;

/** One line: no line breaks, control characters, direction marks or broken surrogates. */
export function isPlainLine(text: string): boolean {
  return text.isWellFormed() && !forbiddenInLine.test(text);
}

/** Message text: line breaks and tabs are allowed. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !forbiddenInMessage.test(text);
}

/**
 * Returns the text without the characters that a message cannot contain. Word processors, PDFs and terminals put them on the
 * clipboard, and no one can find them in a text.
 */
export function tidyMessageText(typedText: string): string {
  return typedText
    .toWellFormed()
    .replace(/\r\n?|[\v\f\u0085]/g, '\n')
    .replaceAll(new RegExp(forbiddenInMessage, 'g'), '');
}

/**
 * Removes white space around the text of a message. The first of several lines keeps its indentation: without it, pasted code
 * would mean something else.
 */
export function trimMessageText(text: string): string {
  const trimmedText = text.trim();
  return trimmedText.includes('\n') ? text.replace(/^(?:\s*\n)?/, '').trimEnd() : trimmedText;
}

// Invisible characters: spaces, format and control characters, and those that fonts do not draw, such as fillers and variation
// selectors. The blank of Braille has a glyph without dots.
const invisible = /[\p{Z}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Removes characters that copying puts into a text, such as a byte order mark, a zero-width space or a direction mark. */
export function removeInvisible(text: string): string {
  return text.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/** Whether the text has no visible characters. */
export function isBlank(text: string): boolean {
  return text.replace(invisible, '') === '';
}
