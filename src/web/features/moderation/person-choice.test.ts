import { expect, test } from 'vitest';
import type { GrantedRole } from '#contract/moderation.ts';
import { listHolders, parsePerson } from './person-choice.tsx';

const createRole = (roleId: string, staffName: string, label: string): GrantedRole => {
  return { roleId, classId: 'class', label, role: 'staff', staffName };
};

test('a person is named by a whole address or by an entry of the list [MOD-102]', () => {
  const holders = listHolders([createRole('lee', 'Prof. Lee', 'ART 1')]);

  expect(parsePerson(' kim@university.edu ', holders)).toEqual({ email: 'kim@university.edu' });
  expect(parsePerson('Prof. Lee, Staff in ART 1', holders)).toEqual({ roleId: 'lee' });
  for (const text of ['', 'kim', 'Prof. Lee', 'kim @university.edu']) {
    expect(parsePerson(text, holders)).toBeNull();
  }
});

test('two people who look alike in the list are not in it [MOD-102]', () => {
  const holders = listHolders([
    createRole('first', 'Kim', 'ART 1'),
    createRole('second', 'Kim', 'ART 1'),
    createRole('third', 'Kim', 'ART 2'),
  ]);

  expect([...holders.keys()]).toEqual(['Kim, Staff in ART 2']);
});
