// Text that was typed with the wrong keyboard layout: 'сфдсгдгы' is 'calculus' on a Russian keyboard.

/** The keys of a US keyboard, and what they type in other layouts. */
const us = "qwertyuiop[]asdfghjkl;'zxcvbnm,.";
const layouts = [
  'йцукенгшщзхъфывапролджэячсмитьбю', // Russian
  'йцукенгшщзхїфівапролджєячсмитьбю', // Ukrainian
  ';ςερτυθιοπ[]ασδφγηξκλ΄’ζχψωβνμ,.', // Greek
  "/'קראטוןםפ][שדגכעיחלךף,זסבהנמצתץ", // Hebrew
  'ضصثقفغعهخحجدشسيبلاتنمكطئءؤرىةوز', // Arabic
] as const;

function convert(text: string, from: string, to: string): string {
  return Array.from(text.toLowerCase(), (character) => {
    const key = from.indexOf(character);
    return key < 0 ? character : (to[key] ?? character);
  }).join('');
}

/** The text as the same keys type it in other layouts. Empty if the text mixes scripts. */
export function inOtherLayouts(text: string): string[] {
  const isLatin = /[a-z]/i.test(text);
  const isOther = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}]/u.test(
    text,
  );
  if (isLatin === isOther) return [];
  const converted = isLatin
    ? layouts.map((layout) => convert(text, us, layout))
    : layouts
        .filter((layout) =>
          Array.from(text.toLowerCase()).some((letter) => isLetterOf(letter, layout)),
        )
        .map((layout) => convert(text, layout, us));
  return [...new Set(converted)];
}

function isLetterOf(character: string, layout: string): boolean {
  return /\p{L}/u.test(character) && layout.includes(character);
}
