// Decides when two names look the same. The UTS 39 skeleton alone distinguishes 'Bill' from 'bill' and 'Jose'
// from 'José'.
import unhomoglyph from 'unhomoglyph';
import { defaultName } from '#contract/default-name.ts';
import { hueNames, shapeNames } from '#contract/persona-name.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { clearNameKeys, listNamed, setNameKey } from './personas-queries.ts';
import { findMetadata, writeMetadata } from '#server/store/server-metadata-queries.ts';

/** Small capitals, which the confusables table leaves unchanged, and their base letters. */
const smallCapitals = new Map(
  Array.from('ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ', (letter, n) => [
    letter,
    'abcdefghijklmnoprstuvwyz'.charAt(n),
  ]),
);

/** What the confusables table returns for some Cyrillic letters, and the Latin letters that they resemble. */
const fromCyrillic = new Map([
  ['ĸ', 'k'],
  ['ʍ', 'm'],
  ['ᴎ', 'i'],
]);

/** Letters that look like a consonant with virama and joiner. The confusables table has the others. */
const finalConsonants = new Map([
  ['ৎ', 'ত্'],
  ['ൔ', 'മ്'],
  ['ൕ', 'യ്'],
  ['ൖ', 'ഴ്'],
  ['ൺ', 'ണ്'],
  ['ൽ', 'ല്'],
  ['ൾ', 'ള്'],
  ['ൿ', 'ക്'],
]);

/** Characters that only make a word of Arabic, N'Ko or Mongolian wider, but which Unicode counts as letters. */
export const stretchCharacters = /[\u0640\u07fa\u180a]/g;

/** Maps names that differ only in case, accents, spaces, punctuation, joiners and similar letters to the same key. */
export function toPersonaNameKey(name: string): string {
  const lowercaseSkeleton = toSkeleton(toSkeleton(replaceLookalikes(name)).toLowerCase());
  // `toSkeleton` runs again, because `replaceLookalikes` may return an 'm', which the table maps to 'rn'.
  const skeleton = toSkeleton(replaceLookalikes(lowercaseSkeleton))
    .replaceAll('cl', 'd')
    .replaceAll('vv', 'w')
    // A capital 'I' looks like a small 'l', and 'i' is its small letter.
    .replaceAll('i', 'l');
  const letters = skeleton.replace(/[^\p{L}\p{M}\p{N}]/gu, '').replace(stretchCharacters, '');
  return letters.replace(/\p{Script=Inherited}/gu, '') || skeleton;
}

const toKeys = (names: readonly string[]) => names.map(toPersonaNameKey).join('|');
/** The end of a tile's name: a tag, whose 'm' has the key 'rn', or 'Anonymous'. */
const tileEnd = `(?:[a-z]|rn)\\p{N}|${toPersonaNameKey(defaultName)}`;
const tileKey = new RegExp(`^(${toKeys(hueNames)})(${toKeys(shapeNames)})(${tileEnd})*$`, 'u');

/** Whether the name looks like that of a tile, which members called 'Anonymous' have: also with a tag or 'Anonymous' after it. */
export function isTileName(name: string): boolean {
  return tileKey.test(toPersonaNameKey(name));
}

function replaceLookalikes(text: string): string {
  const letters = Array.from(
    text,
    (letter) =>
      smallCapitals.get(letter) ??
      fromCyrillic.get(letter) ??
      finalConsonants.get(letter) ??
      letter,
  );
  return letters.join('');
}

/** The skeleton of UTS 39: https://www.unicode.org/reports/tr39/#Confusable_Detection */
function toSkeleton(text: string): string {
  return unhomoglyph(text.normalize('NFD')).normalize('NFD');
}

const metadataName = 'nameKeys';
/** The version of the keys. Increase it with each change of `toPersonaNameKey`. */
const version = '4';

/**
 * Recomputes all name keys if `toPersonaNameKey` has changed. If the names of two members now look the same, both keep their
 * names, but only one of them has the key.
 */
export async function renewNameKeys(db: Database, commits: CommitQueue): Promise<void> {
  if ((await findMetadata(db, metadataName)) === version) return;
  await commits.write(async (unitOfWork) => {
    const personas = await listNamed(unitOfWork.db);
    await clearNameKeys(unitOfWork.db);
    const takenKeys = new Set<string>();
    for (const { classId, memberId, anonymousName } of personas) {
      const nameKey = toPersonaNameKey(anonymousName);
      const keyInClass = `${classId}\n${nameKey}`;
      if (takenKeys.has(keyInClass)) continue;
      takenKeys.add(keyInClass);
      await setNameKey(unitOfWork.db, classId, memberId, nameKey);
    }
    await writeMetadata(unitOfWork.db, metadataName, version);
  }, 'everything');
}
