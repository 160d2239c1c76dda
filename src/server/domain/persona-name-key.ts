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

/** Equal for names that differ only in case, accents, spaces, punctuation and letters that look alike. */
export function personaNameKey(name: string): string {
  const plain = Array.from(name, (letter) => smallCapitals.get(letter) ?? letter).join('');
  // A capital i and a small L are one to the eye, and a small i is that capital.
  const small = skeleton(skeleton(plain).toLowerCase()).replaceAll('i', 'l').replaceAll('vv', 'w');
  const letters = small.replace(/[^\p{L}\p{M}\p{N}]/gu, '');
  return letters.replace(/\p{Script=Inherited}/gu, '') || small;
}

/** https://www.unicode.org/reports/tr39/#Confusable_Detection */
function skeleton(text: string): string {
  return unhomoglyph(text.normalize('NFD')).normalize('NFD');
}
