import { expect, it } from 'vitest';
import { filterChoices } from './filter-choices.ts';

const found = (value: string, count: number, isRefined = false) => ({ value, count, isRefined });

it('takes codes that differ in case alone for one, and sorts them [SEARCH-52, CREATE-15]', () => {
  expect(filterChoices([found('math', 3), found('CS', 4), found('cs', 2, true)], null, [])).toEqual(
    [
      { label: 'CS', values: ['CS', 'cs'], count: 6, chosen: true },
      { label: 'MATH', values: ['math'], count: 3, chosen: false },
    ],
  );
});

it('has every season in its order, with or without classes [SEARCH-52]', () => {
  const seasons = ['Spring', 'Summer', 'Fall', 'Winter'];
  const choices = filterChoices([found('Winter', 1), found('Spring', 2)], seasons, []);
  expect(choices.map(({ label, count }) => `${label} ${count}`)).toEqual([
    'Spring 2',
    'Summer 0',
    'Fall 0',
    'Winter 1',
  ]);
});

it('keeps what was chosen where nothing is found of it, so that it can be taken back [SEARCH-52]', () => {
  expect(filterChoices([], null, ['BIO'])).toEqual([
    { label: 'BIO', values: ['BIO'], count: 0, chosen: true },
  ]);
});
