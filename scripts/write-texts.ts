/**
 * Sorts the catalogues, and writes the types of the values that their texts need: `npm run texts`. A test compares the
 * files.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import {
  compileMessage,
  isTag,
  listLanguages,
  loadTexts,
  visitValues,
} from '#server/base/catalogues.ts';
import { nodeTypes } from '#contract/message-format.ts';
import { pseudoLanguages, toPseudoTexts } from './pseudo-texts.ts';
import { projectRoot } from './run-tool.ts';

const textsDir = join(projectRoot, 'src/texts');
const typesPath = join(textsDir, 'text-values.ts');
const style = { printWidth: 100, singleQuote: true };

/** The names of the values that the message needs, with their types. */
export function listValues(text: string, language: string): Map<string, string> {
  const values = new Map<string, string>();
  visitValues(compileMessage(text, language), (name, type) => {
    if (isTag(type)) values.set(name, 'Tag');
    else if (type !== undefined && type !== nodeTypes.select) values.set(name, 'number');
    else if (!values.has(name)) values.set(name, 'string');
  });
  return values;
}

export async function formatTypes(): Promise<string> {
  const rows = [...loadTexts('en').texts].map(
    ([key, text]) => [key, listValues(text, 'en')] as const,
  );
  const toLines = (isRich: boolean) =>
    rows
      .filter(([, values]) => values.size > 0 && [...values.values()].includes('Tag') === isRich)
      .map(([key, values]) => {
        const fields = [...values]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, type]) => `${name}: ${type}`);
        return `  '${key}': { ${fields.join('; ')} };`;
      });
  const lines = [
    '// The values of the texts that need some. `npm run texts` writes this file from en.json.',
    "import type english from './en.json';",
    '',
    'export type TextKey = Exclude<keyof typeof english, `@@${string}`>;',
    '',
    'export interface TextValues {',
    ...toLines(false),
    '}',
    '',
    '/** Texts with tags. */',
    'export interface RichTextValues<Tag> {',
    ...toLines(true),
    '}',
    '',
  ];
  return (await format(typesPath, lines.join('\n'), style)).code;
}

const toPath = (language: string) => join(textsDir, `${language}.json`);

/** Sorts the entries by their keys: two people who add texts at the same time rarely change the same lines. */
export async function formatCatalogue(language: string): Promise<string> {
  const entries = Object.entries(JSON.parse(readFileSync(toPath(language), 'utf8')) as object);
  const sorted = Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return (await format(toPath(language), JSON.stringify(sorted), style)).code;
}

if (import.meta.main) {
  const pseudo = process.argv.includes('--pseudo') ? Object.entries(pseudoLanguages) : [];
  for (const [language, change] of pseudo) {
    writeFileSync(toPath(language), toPseudoTexts(language, change));
  }
  for (const language of listLanguages()) {
    writeFileSync(toPath(language), await formatCatalogue(language));
  }
  writeFileSync(typesPath, await formatTypes());
}
