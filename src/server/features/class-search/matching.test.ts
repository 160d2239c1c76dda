import { beforeAll, describe, expect, test } from 'vitest';
import type { Class } from '#contract/entities.ts';
import { createClassIndex, type ClassIndex } from './class-index.ts';
import { answerHits } from './query-call.ts';
import { readQuery } from './query.ts';
import { readShortForms } from './rewrite/short-forms.ts';

const names = [
  'Data Structures',
  'Structures of Data',
  'Data Mining',
  'Mining Engineering',
  'Organic Chemistry',
  'Calculus III',
  'Data, data structures and data',
];

let index: ClassIndex;
beforeAll(() => {
  index = createClassIndex(readShortForms(null));
  for (const [at, courseName] of names.entries()) index.put(someClass(courseName, at));
});

function someClass(courseName: string, at: number): Class {
  return {
    ...{ classId: `AAAAAAAAAAAAAAA${at}`, name: null, courseName, subjectAbbreviation: 'XY' },
    ...{ courseNumber: `${100 + at}`, sectionNumber: '1', semesterSeason: 'Fall' },
    ...{ classSchedule: ['Monday', at % 2 === 0 ? 'Friday' : 'Sunday'], beginClassTime: '09:00' },
    ...{ endClassTime: '10:00', memberCount: 10 - at, ended: false },
  };
}

function find(query: string, parameters: object = {}) {
  return answerHits(index, readQuery('classSearch', { query, ...parameters }));
}
const namesFor = (query: string, parameters: object = {}) =>
  find(query, parameters).hits.map((hit) => hit.courseName);

describe('the advanced syntax', () => {
  const advanced = { advancedSyntax: true };
  test.each<[string, string[]]>([
    ['"data structures"', ['Data Structures', 'Data, data structures and data']],
    ['"structures data"', []],
    ['"structures of data"', ['Structures of Data']],
    ['"data structure"', []],
    ['"dtaa structures"', []],
    ['"calculus 3"', ['Calculus III']],
    ['"iii xy"', []],
    ['data -mining', ['Data, data structures and data', 'Data Structures', 'Structures of Data']],
    ['data -structures -mining', []],
    ['data -"data structures"', ['Data Mining', 'Structures of Data']],
    ['mining-data', ['Data Mining']],
    ['mining - data', ['Data Mining']],
    ['mining -', ['Data Mining', 'Mining Engineering']],
    ['"mining" ""', ['Data Mining', 'Mining Engineering']],
    ['"-mining"', ['Data Mining', 'Mining Engineering']],
    ['-data -mining', ['Organic Chemistry', 'Calculus III']],
    ['-xy', []],
    ['"data mining', ['Data Mining']],
    ['𝒹ata -ﬁnd "\ud800"', ['Data Mining']],
  ])('%s [SEARCH-74]', (query, expected) => {
    const found = namesFor(query, advanced);
    if (query.startsWith('𝒹')) expect(found).toContain('Data Mining');
    else expect(new Set(found)).toEqual(new Set(expected));
  });

  test('the advanced syntax is off without its parameter, and each feature can be off [SEARCH-74]', () => {
    expect(namesFor('mining -data')).toEqual(['Data Mining']);
    const only = (feature: string) => ({ ...advanced, advancedSyntaxFeatures: [feature] });
    expect(namesFor('mining -data', only('exactPhrase'))).toEqual(['Data Mining']);
    expect(namesFor('mining -data', only('excludeWords'))).toEqual(['Mining Engineering']);
    expect(namesFor('"structures data"', only('excludeWords'))).toContain('Data Structures');
  });

  test('the advanced syntax searches phrases and excluded words only in the chosen fields [SEARCH-74]', () => {
    const inDays = { ...advanced, restrictSearchableAttributes: ['classSchedule'] };
    expect(find('"data structures"', inDays).nbHits).toBe(0);
    expect(find('monday -data', inDays).nbHits).toBe(7);
    expect(find('"monday friday"', inDays).nbHits).toBe(4);
  });
});

describe('optional words', () => {
  test('optional words can be missing, and classes that have them come first [SEARCH-75]', () => {
    expect(namesFor('data mining', { optionalWords: ['mining'] })[0]).toBe('Data Mining');
    expect(find('data mining', { optionalWords: ['mining'] }).nbHits).toBe(4);
    expect(find('data mining', { optionalWords: 'mining data' }).nbHits).toBe(5);
    expect(namesFor('data mining', { optionalWords: 'mining data' })[0]).toBe('Data Mining');
    expect(find('data nothing', { optionalWords: ['nothing'] }).nbHits).toBe(4);
    expect(find('data mining', { optionalWords: ['__proto__', ''] }).nbHits).toBe(1);
  });

  test('optional words are highlighted [SEARCH-75]', () => {
    expect(find('data mining', { optionalWords: 'mining' }).hits[0]).toMatchObject({
      _highlightResult: { courseName: { value: '<em>Data</em> <em>Mining</em>' } },
    });
  });

  test.each<[string, string, string[]]>([
    ['organic data', 'none', []],
    ['organic data', 'lastWords', ['Organic Chemistry']],
    ['data organic', 'firstWords', ['Organic Chemistry']],
    ['organic calculus', 'allOptional', ['Organic Chemistry', 'Calculus III']],
    ['organic zebra yak xylophone', 'lastWords', ['Organic Chemistry']],
    ['organic a1 b1 c1 d1 e1 f1 g1', 'lastWords', []],
    ['zebra yak', 'allOptional', []],
    ['zebra', 'allOptional', []],
  ])('%s with removal of %s [SEARCH-75]', (query, removeWordsIfNoResults, expected) => {
    expect(namesFor(query, { removeWordsIfNoResults })).toEqual(expected);
  });

  test('optional words are removed too if only the filter leaves nothing [SEARCH-75]', () => {
    const parameters = { filters: 'classSchedule:Sunday', facets: ['classSchedule'] };
    const countWith = (removeWordsIfNoResults: string) =>
      find('data chemistry structures', { ...parameters, removeWordsIfNoResults }).nbHits;
    expect(countWith('none')).toBe(0);
    expect(countWith('lastWords')).toBe(1);
  });
});

describe('typos and prefixes', () => {
  test.each<[string, object, number]>([
    ['dtaa', {}, 4],
    ['dtaa', { typoTolerance: true }, 4],
    ['dtaa', { typoTolerance: 'min' }, 4],
    ['dtaa', { typoTolerance: false }, 0],
    ['dtaa', { typoTolerance: 'false' }, 0],
    ['dtaa', { minWordSizefor1Typo: 5 }, 0],
    ['engeneerring', {}, 1],
    ['engeneerring', { minWordSizefor2Typos: 20 }, 0],
    ['struct dat', {}, 3],
    ['struct dat', { queryType: 'prefixAll' }, 3],
    ['struct dat', { queryType: 'prefixLast' }, 0],
    ['structures dat', { queryType: 'prefixLast' }, 3],
    ['dat', { queryType: 'prefixNone', typoTolerance: false }, 0],
    ['10 data', {}, 0],
    ['10 data', { queryType: 'prefixAll' }, 4],
  ])('%s with %j [SEARCH-76]', (query, parameters, count) => {
    expect(find(query, parameters).nbHits).toBe(count);
  });
});
