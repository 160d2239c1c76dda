import { afterEach, describe, expect, test, vi } from 'vitest';
import { defaultClassSettings } from '#contract/class-settings.ts';
import { pickChangesToSave, listConflicts, saveChanges, applyChanges } from './settings-changes.ts';

afterEach(() => void vi.unstubAllGlobals());

const base = { ...defaultClassSettings, version: 3, rules: 'Old', pins: ['a', 'b', 'c'] };

describe('the unsaved changes of a moderator', () => {
  test('follow what others change in other settings [CSET-22]', () => {
    const draft = { base, changes: { rules: 'Mine' } };
    const current = { ...base, version: 4, readOnly: true };
    expect(applyChanges(current, draft)).toEqual({ ...current, rules: 'Mine' });
    expect(listConflicts(current, draft, 0)).toEqual([]);
    expect(pickChangesToSave(current, draft)).toEqual({ rules: 'Mine' });
  });

  test('conflict with another change of the same setting, unless both are equal [CSET-22]', () => {
    const draft = { base, changes: { rules: 'Mine', slowModeSeconds: 30 } };
    const current = { ...base, version: 4, rules: 'Theirs', slowModeSeconds: 30 };
    expect(listConflicts(current, draft, 0)).toEqual(['rules']);
    expect(pickChangesToSave(current, draft)).toEqual({ rules: 'Mine' });
    expect(pickChangesToSave({ ...current, rules: 'Mine' }, draft)).toEqual({});
  });

  test.each([
    ['a deleted message', ['a', 'c'], []],
    ['a new pin', ['a', 'b', 'c', 'd'], ['pins']],
    ['another order', ['b', 'a', 'c'], ['pins']],
    ['the same order', ['c', 'b', 'a'], []],
  ])('conflict with pins by %s or not [CSET-13]', (_, pins, conflicts) => {
    const draft = { base, changes: { pins: ['c', 'b', 'a'] } };
    expect(listConflicts({ ...base, pins }, draft, 0)).toEqual(conflicts);
  });
});

test('a quiet time that is over by the clock of the server is no conflict, and one that is not is [CSET-35]', () => {
  const exam = {
    begins: '2026-12-01T10:00',
    ends: '2026-12-01T12:00',
    zone: 'UTC',
    weekly: false,
    sentence: 'The exam is running',
  };
  const draft = { base: { ...base, quietTimes: [exam] }, changes: { quietTimes: [] } };
  const current = { ...base, quietTimes: [{ ...exam, sentence: 'Exam' }] };

  expect(listConflicts(current, draft, Date.parse('2026-12-01T11:00Z'))).toEqual(['quietTimes']);
  expect(listConflicts(current, draft, Date.parse('2026-12-01T13:00Z'))).toEqual([]);
});

/** A server whose class has these settings. It stubs `fetch`. @returns the bodies of the changes */
function serveSettings(settings: typeof base): unknown[] {
  const bodies: unknown[] = [];
  vi.stubGlobal('fetch', (_: string, { method, body }: RequestInit) => {
    if (method === 'GET') return Promise.resolve(Response.json({ settings, pinnedMessages: [] }));
    const change = JSON.parse(String(body)) as { version: number };
    bodies.push(change);
    if (change.version === settings.version) return Promise.resolve(Response.json({}));
    const error = { code: 'SETTINGS_CHANGED', message: 'Another moderator changed them.' };
    return Promise.resolve(Response.json(error, { status: 409 }));
  });
  return bodies;
}

describe('saving the changes of a moderator', () => {
  const draft = { base, changes: { rules: 'Mine' } };

  test('a change is saved onto another setting that another moderator has just changed [CSET-22]', async () => {
    const bodies = serveSettings({ ...base, version: 4, readOnly: true });

    await saveChanges('class', base, draft, () => 0);

    expect(bodies).toEqual([
      { version: 3, rules: 'Mine' },
      { version: 4, rules: 'Mine' },
    ]);
  });

  test('a setting that another moderator has just changed is not overwritten [CSET-22]', async () => {
    const bodies = serveSettings({ ...base, version: 4, rules: 'Theirs' });

    await expect(saveChanges('class', base, draft, () => 0)).rejects.toMatchObject({
      code: 'SETTINGS_CHANGED',
    });
    expect(bodies).toHaveLength(1);
  });

  test('nothing is sent if the class has the changes already [CSET-16]', async () => {
    const bodies = serveSettings(base);

    await saveChanges('class', { ...base, rules: 'Mine' }, draft, () => 0);

    expect(bodies).toEqual([]);
  });
});
