/**
 * Makes the font of formulas again, for a new version of Temml or of STIX Two Math: the font, cut to the characters of
 * formulas. The two packages are installed in a folder of their own, because nothing else needs them:
 *
 *     npm install --prefix FOLDER subset-font@2.9.0 @fontsource/stix-two-math@5.3.0
 *     node scripts/run.mjs scripts/make-math-font.mjs FOLDER
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderFormula } from '../src/web/markup/formula.ts';

const require = createRequire(`${resolve(process.argv[2] ?? '.')}/package.json`);
const subsetFont = require('subset-font');
const { convert } = require('fontverter');
const fontFile = '@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2';
const output = new URL('../src/web/ui/stix-two-math.woff2', import.meta.url);

/** What can be typed into a formula as it is: Latin, Greek, marks, arrows, operators, and the mathematical letters. */
const typedRanges = [
  [0x20, 0x7e],
  [0xa0, 0xff],
  [0x300, 0x338],
  [0x391, 0x3c9],
  [0x2010, 0x2064],
  [0x20d0, 0x20f0],
  [0x2190, 0x22ff],
  [0x27c0, 0x27ff],
  [0x1d400, 0x1d7ff],
];

function listCharacters() {
  const ranges = typedRanges.map(([from, to]) =>
    String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, n) => from + n)),
  );
  return [...ranges, ...drawCommands()].join('');
}

/** The characters that the commands of Temml draw. */
function* drawCommands() {
  const library = readFileSync(fileURLToPath(import.meta.resolve('temml')), 'utf8');
  for (const [, name] of library.matchAll(/"\\(\\[^"\s]+)"/g)) {
    for (const source of [name, `${name}{x}`, `${name}{x}{y}`, `a ${name} b`, `\\text{${name}}`]) {
      const formula = renderFormula(source, true);
      if (!('message' in formula)) yield* listTexts(formula);
    }
  }
}

function* listTexts(element) {
  if (typeof element === 'string') yield element;
  else for (const child of element.children) yield* listTexts(child);
}

/**
 * Swaps the overlaps of last parts that continue at their end. In version 2.12, the head of '→' does, so browsers do not
 * make the arrow longer.
 */
function repairArrows(font) {
  const entry = font.indexOf('MATH');
  const table = font.subarray(font.readUInt32BE(entry + 8));
  const variants = table.subarray(table.readUInt16BE(8));
  const vertical = variants.readUInt16BE(6);
  const horizontal = variants.readUInt16BE(8);
  for (let n = vertical; n < vertical + horizontal; n++) {
    const construction = variants.subarray(variants.readUInt16BE(10 + 2 * n));
    if (construction.readUInt16BE(0) === 0) continue;
    const assembly = construction.subarray(construction.readUInt16BE(0));
    const last = assembly.subarray(6 + 10 * (assembly.readUInt16BE(4) - 1));
    const start = last.readUInt16BE(2);
    const end = last.readUInt16BE(4);
    if (start === 0 && end > 0) {
      last.writeUInt16BE(end, 2);
      last.writeUInt16BE(0, 4);
    }
  }
}

const font = await subsetFont(readFileSync(require.resolve(fontFile)), listCharacters(), {
  targetFormat: 'truetype',
  noHinting: true,
  // The license and its address.
  preserveNameIds: [13, 14],
});
repairArrows(font);
writeFileSync(output, await convert(font, 'woff2'));
