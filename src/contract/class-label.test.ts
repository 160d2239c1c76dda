import { describe, expect, test } from 'vitest';
import { toClassLabel } from './class-label.ts';

const bare = { subjectAbbreviation: null, courseNumber: null, courseName: null, name: null };

describe('a class’s label', () => {
  test.each([
    [{ subjectAbbreviation: 'cs', courseNumber: '146b' }, 'CS 146B'],
    [{ subjectAbbreviation: ' ', courseNumber: '146', courseName: 'Algorithms' }, 'ALGORITHMS'],
    [{ subjectAbbreviation: 'cs', courseName: 'Straße' }, 'STRASSE'],
    [{ courseName: '', name: 'Old name' }, 'OLD NAME'],
    [{ subjectAbbreviation: 'cs' }, 'CS'],
    [{}, 'UNNAMED CLASS'],
  ])('a class’s label of %j is %s [LIST-4, LIST-5, CHAT-1]', (fields, label) => {
    expect(toClassLabel({ ...bare, ...fields })).toBe(label);
  });
});
