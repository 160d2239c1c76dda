import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readShortForms } from './short-forms.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'short-forms-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const writeFile = (text: string) => writeFileSync(join(dataDir, 'short-forms.json'), text);

test('forms are looked up without spaces, and subjects by name or code [SEARCH-101]', () => {
  const forms = readShortForms(null);
  expect(forms.fullFormsOf('polisci')).toContain('political science');
  expect(forms.subjectCodesOf('biology')).toContain('BIOL');
  expect(forms.subjectCodesOf('compsci')).toContain('CS');
  expect(forms.isIgnored('professor')).toBe(true);
  expect(forms.fullFormsOf('constructor')).toEqual([]);
});

test("a school's own forms come first, and the others stay [SEARCH-105]", () => {
  writeFile('{"words":{"Orgo":["organizing"]},"subjects":{"Biology":["BZ"]},"ignored":["zzz"]}');
  const forms = readShortForms(dataDir);
  expect(forms.fullFormsOf('orgo')).toEqual(['organizing', 'organic chemistry']);
  expect(forms.subjectCodesOf('biology')[0]).toBe('BZ');
  expect(forms.isIgnored('zzz')).toBe(true);
  expect(forms.isIgnored('class')).toBe(true);
});

test('the server names an invalid file when it refuses to start [SEARCH-105]', () => {
  expect(() => readShortForms(dataDir)).not.toThrow();
  for (const text of ['{', '[]', '{"words":{"a":1}}', '{"other":{}}']) {
    writeFile(text);
    expect(() => readShortForms(dataDir)).toThrow(/short-forms\.json is not a list of short forms/);
  }
});
