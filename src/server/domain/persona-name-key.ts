// When two names are one to the eye. UTS 39's skeleton alone tells 'Bill' from 'bill' and 'Jose' from
// 'José'; in a room nobody should have to.
import unhomoglyph from 'unhomoglyph';

/** Small capitals, which the table of confusables leaves as they are, and what they are capitals of. */
const smallCapitals = new Map(
  Array.from('ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ', (letter, n) => [
    letter,
    'abcdefghijklmnoprstuvwyz'.charAt(n),
  ]),
);

/** What the table makes of Cyrillic letters, and the Latin ones that they stand for in a name. */
const fromCyrillic = new Map([
  ['ĸ', 'k'],
  ['ʍ', 'm'],
  ['ᴎ', 'i'],
]);

/** Equal for names that differ only in case, accents, spaces, punctuation and letters that look alike. */
export function personaNameKey(name: string): string {
  const folded = skeleton(skeleton(latin(name)).toLowerCase());
  // Once more, for what the table made of m is not m.
  const small = skeleton(latin(folded))
    .replaceAll('cl', 'd')
    .replaceAll('vv', 'w')
    // A capital i and a small L are one to the eye, and a small i is that capital.
    .replaceAll('i', 'l');
  const letters = small.replace(/[^\p{L}\p{M}\p{N}]/gu, '');
  return letters.replace(/\p{Script=Inherited}/gu, '') || small;
}

function latin(text: string): string {
  const letters = Array.from(
    text,
    (letter) => smallCapitals.get(letter) ?? fromCyrillic.get(letter) ?? letter,
  );
  return letters.join('');
}

/** https://www.unicode.org/reports/tr39/#Confusable_Detection */
function skeleton(text: string): string {
  return unhomoglyph(text.normalize('NFD')).normalize('NFD');
}
