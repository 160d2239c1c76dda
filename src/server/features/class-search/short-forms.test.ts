import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadShortForms } from './short-forms.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'short-forms-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const writeFile = (text: string) => writeFileSync(join(dataDir, 'short-forms.json'), text);

test('forms are looked up without spaces, and subjects by name or code [SEARCH-101]', () => {
  const forms = loadShortForms(null);
  expect(forms.listFullForms('polisci')).toContain('political science');
  expect(forms.listSubjectCodes('biology')).toContain('BIOL');
  expect(forms.listSubjectCodes('compsci')).toContain('CS');
  expect(forms.isIgnored('professor')).toBe(true);
  expect(forms.listFullForms('constructor')).toEqual([]);
});

test("a school's own forms come first, and the others stay [SEARCH-105]", () => {
  writeFile('{"words":{"Orgo":["organizing"]},"subjects":{"Biology":["BZ"]},"ignored":["zzz"]}');
  const forms = loadShortForms(dataDir);
  expect(forms.listFullForms('orgo')).toEqual(['organizing', 'organic chemistry']);
  expect(forms.listSubjectCodes('biology')[0]).toBe('BZ');
  expect(forms.isIgnored('zzz')).toBe(true);
  expect(forms.isIgnored('class')).toBe(true);
});

test('days and seasons are found in the languages of the site [SEARCH-101]', () => {
  const forms = loadShortForms(null, ['en', 'de', 'zh-Hans']);

  expect(forms.listFullForms('montag')).toEqual(['Monday']);
  expect(forms.listFullForms('herbst')).toEqual(['Fall']);
  expect(forms.listFullForms('星期一')).toEqual(['Monday']);
  expect(forms.listFullForms('lunes')).toEqual([]);
});

test('the server names an invalid file when it refuses to start [SEARCH-105]', () => {
  expect(() => loadShortForms(dataDir)).not.toThrow();
  for (const text of ['{', '[]', '{"words":{"a":1}}', '{"other":{}}']) {
    writeFile(text);
    expect(() => loadShortForms(dataDir)).toThrow(/short-forms\.json is not a list of short forms/);
  }
});
