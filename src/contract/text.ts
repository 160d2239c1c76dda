// Control characters, halves of surrogate pairs and overrides of direction: what no text of ours may hold.
// oxlint-disable-next-line no-control-regex
const forbiddenInLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
// oxlint-disable-next-line no-control-regex
const forbiddenInMessage = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202d\u202e]/;

/** One line: no line breaks, control characters, direction marks or broken surrogates. */
export function isPlainLine(text: string): boolean {
  return text.isWellFormed() && !forbiddenInLine.test(text);
}

/** A message's text: line breaks and tabs are fine. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !forbiddenInMessage.test(text);
}

// What shows as nothing: spaces, format and control characters, and letters without a shape.
const invisible = /[\p{Z}\p{Cf}\p{Cc}\u2800\u3164\u115f\u1160\uffa0]/gu;

/** True for text in which there is nothing to see. */
export function isBlank(text: string): boolean {
  return text.replace(invisible, '') === '';
}
