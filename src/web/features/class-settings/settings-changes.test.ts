import { describe, expect, test } from 'vitest';
import { defaultClassSettings } from '#contract/class-settings.ts';
import { changesToSave, conflictsOf, withChanges } from './settings-changes.ts';

const base = { ...defaultClassSettings, version: 3, rules: 'Old', pins: ['a', 'b', 'c'] };

describe('the unsaved changes of a moderator', () => {
  test('follow what others change in other settings [CSET-22]', () => {
    const draft = { base, changes: { rules: 'Mine' } };
    const current = { ...base, version: 4, readOnly: true };
    expect(withChanges(current, draft)).toEqual({ ...current, rules: 'Mine' });
    expect(conflictsOf(current, draft)).toEqual([]);
    expect(changesToSave(current, draft)).toEqual({ rules: 'Mine' });
  });

  test('conflict with another change of the same setting, unless both are equal [CSET-22]', () => {
    const draft = { base, changes: { rules: 'Mine', slowModeSeconds: 30 } };
    const current = { ...base, version: 4, rules: 'Theirs', slowModeSeconds: 30 };
    expect(conflictsOf(current, draft)).toEqual(['rules']);
    expect(changesToSave(current, draft)).toEqual({ rules: 'Mine' });
    expect(changesToSave({ ...current, rules: 'Mine' }, draft)).toEqual({});
  });

  test.each([
    ['a deleted message', ['a', 'c'], []],
    ['a new pin', ['a', 'b', 'c', 'd'], ['pins']],
    ['another order', ['b', 'a', 'c'], ['pins']],
    ['the same order', ['c', 'b', 'a'], []],
  ])('conflict with pins by %s or not [CSET-14]', (_, pins, conflicts) => {
    const draft = { base, changes: { pins: ['c', 'b', 'a'] } };
    expect(conflictsOf({ ...base, pins }, draft)).toEqual(conflicts);
  });
});
