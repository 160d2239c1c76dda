// The catalogues of src/texts, and the texts that are still outside of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errors, isErrorReason } from '#contract/errors.ts';
import { listLanguages, loadTexts } from '#server/base/catalogues.ts';
import { projectRoot } from '../../scripts/run-tool.ts';
import { formatCatalogue, formatTypes, listValues } from '../../scripts/write-texts.ts';
import { findLooseTexts } from './find-loose-texts.ts';
import { listFiles } from './read-imports.ts';

const languages = listLanguages();
const english = loadTexts('en').texts;
const loadFile = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const loadSources = (area: 'web' | 'server') =>
  listFiles(area).map((file) => ({ file, code: loadFile(`src/${area}/${file}`) }));

test('npm run texts has sorted the catalogues and written the types of their values', async () => {
  expect(loadFile('src/texts/text-values.ts')).toBe(await formatTypes());
  for (const language of languages) {
    const file = `src/texts/${language}.json`;
    expect(loadFile(file), file).toBe(await formatCatalogue(language));
  }
});

test.each(languages)('the texts in %s need the values that the English ones need', (language) => {
  const problems = [...loadTexts(language).texts].flatMap(([key, text]) => {
    const names = [...listValues(text, language).keys()].toSorted();
    const englishNames = [...listValues(english.get(key) ?? '', 'en').keys()].toSorted();
    return english.has(key) && String(names) === String(englishNames) ? [] : [key];
  });

  expect(problems).toEqual([]);
});

test('every text is used', () => {
  const sources = [...loadSources('web'), ...loadSources('server')].map((source) => source.code);
  const code = sources.join();
  const mailCode = sources.filter((source) => source.includes('createMail(')).join();
  const isUsed = (key: string) =>
    code.includes(`'${key}'`) ||
    code.includes(`getTexts('${key.slice(0, key.lastIndexOf('.'))}')`) ||
    code.includes(`\`${key.slice(0, key.lastIndexOf('.') + 1)}\${`) ||
    (/^mail\.\w+\.(?:subject|text)$/.test(key) && mailCode.includes(`'${key.split('.')[1]}'`)) ||
    key.replace('error.', '') in errors ||
    isErrorReason(key.replace('error.', ''));

  expect([...english.keys()].filter((key) => !isUsed(key))).toEqual([]);
});

test('no text of the web app is outside of the catalogue', () => {
  const sources = loadSources('web');

  expect(sources.length).toBeGreaterThan(0);
  expect(sources.flatMap(({ file, code }) => findLooseTexts(file, code))).toEqual([]);
});

test.each([
  ['<p>Not connected</p>', 'Not connected'],
  ['<Field label="Name" />', 'Name'],
  ['<Field label={isNew ? "New" : name} />', 'New'],
  ['const heading = isOwn ? "Profile" : name;', 'Profile'],
  ['<p>{count} {`of them ${all}`}</p>', 'of them '],
  ['const text = "Please try again.";', 'Please try again.'],
])('the check finds the text in %s', (code, text) => {
  expect(findLooseTexts('a.tsx', code)).toEqual([`a.tsx:1 ${text}`]);
});

test.each([
  '<kbd>←</kbd>',
  '<p className="wrap muted" id="main">{getText("chat.send")}</p>',
  '<Icon name="check" />',
  'throw new Error("The chunk is missing.");',
])('the check passes %s', (code) => {
  expect(findLooseTexts('a.tsx', code)).toEqual([]);
});
