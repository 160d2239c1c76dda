import { expect, it } from 'vitest';
import { toChoices } from './filter-choices.ts';

it('takes codes that differ in case alone for one, and sorts them [SEARCH-50, CREATE-14]', () => {
  expect(toChoices({ math: 3, CS: 4, cs: 2 }, null, ['cs'])).toEqual([
    { label: 'CS', values: ['CS', 'cs'], count: 6, chosen: true },
    { label: 'MATH', values: ['math'], count: 3, chosen: false },
  ]);
});

it('has every season in its order, with or without classes [SEARCH-50]', () => {
  const seasons = ['Spring', 'Summer', 'Fall', 'Winter'];
  const choices = toChoices({ Winter: 1, Spring: 2 }, seasons, []);
  expect(choices.map(({ label, count }) => `${label} ${count}`)).toEqual([
    'Spring 2',
    'Summer 0',
    'Fall 0',
    'Winter 1',
  ]);
});

it('keeps what was chosen where nothing is found of it, so that it can be taken back [SEARCH-50]', () => {
  expect(toChoices({}, null, ['BIO'])).toEqual([
    { label: 'BIO', values: ['BIO'], count: 0, chosen: true },
  ]);
});
