import { expect, test } from 'vitest';
import { createWantedClasses } from './wanted-classes.ts';

const listFullIds = (wantedClasses: { classId: string; isLight: boolean }[]) =>
  wantedClasses.filter(({ isLight }) => !isLight).map(({ classId }) => classId);

test('a tab subscribes fully to the last eight classes on screen, most recent first [WIRE-42]', () => {
  const classes = createWantedClasses();

  for (let n = 1; n <= 9; n++) classes.open(`class ${n}`);
  classes.open('class 4');

  const wantedClasses = classes.list([]);
  expect(listFullIds(wantedClasses)).toEqual([4, 9, 8, 7, 6, 5, 3, 2].map((n) => `class ${n}`));
  expect(wantedClasses.at(-1)).toEqual({ classId: 'class 1', isLight: true });
});

test('a tab subscribes lightly to the classes that it only follows [WIRE-42]', () => {
  const classes = createWantedClasses();

  classes.open('open');
  classes.follow(['open', 'followed', 'unsent']);

  expect(classes.list(['unsent'])).toEqual([
    { classId: 'open', isLight: false },
    { classId: 'unsent', isLight: false },
    { classId: 'followed', isLight: true },
  ]);
});

test('a class that is brought up to date without being on screen has a full subscription for that time [OFFLINE-10]', () => {
  const classes = createWantedClasses();
  classes.follow(['class']);

  classes.refresh('class');
  expect(listFullIds(classes.list([]))).toEqual(['class']);

  classes.refresh(null);
  expect(listFullIds(classes.list([]))).toEqual([]);
});
