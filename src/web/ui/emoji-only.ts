const fewEmoji = /^\s*(?:\p{RGI_Emoji}\s*){1,6}$/v;
/**
 * What an emoji can start with. Browsers compile the other expression when it is first used, which takes tens of
 * milliseconds on a phone: texts of letters must not need it.
 */
const emojiStart =
  /^\s*(?:[\d#*]\ufe0f?\u20e3|[\u00a9\u00ae\u203c-\u303d\u3297\u3299\ud83c-\ud83e])/;
/** The longest emoji are sequences of a dozen code units. */
const maxLength = 6 * 16;

/** Whether the text is 1 to 6 emoji, which are shown large. */
export function isEmojiOnly(text: string): boolean {
  return text.length <= maxLength && emojiStart.test(text) && fewEmoji.test(text);
}
