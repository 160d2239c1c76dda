import { rgbaToThumbHash } from 'thumbhash';
import { expect, test } from 'vitest';
import { choosePictureGround } from './picture-ground.ts';

/** A square of 10 pixels whose first rows have the ink. */
function createPlaceholder({ ink, rows, paper }: { ink: number[]; rows: number; paper: number[] }) {
  const pixels = Array.from({ length: 100 }, (_, n) => (n < rows * 10 ? ink : paper));
  return btoa(String.fromCharCode(...rgbaToThumbHash(10, 10, pixels.flat())));
}

const clear = [0, 0, 0, 0];
const black = [0, 0, 0, 255];
const white = [255, 255, 255, 255];
const yellow = [255, 255, 0, 255];
const red = [255, 0, 0, 255];

test.each([
  { name: 'a formula in black ink', ink: black, rows: 1, paper: clear, ground: 'light' },
  { name: 'a formula in white ink', ink: white, rows: 1, paper: clear, ground: 'dark' },
  {
    name: 'white ink on clear white',
    ink: white,
    rows: 1,
    paper: [255, 255, 255, 0],
    ground: 'dark',
  },
  { name: 'a plot in yellow', ink: yellow, rows: 2, paper: clear, ground: 'dark' },
  { name: 'a plot in red', ink: red, rows: 2, paper: clear, ground: 'light' },
  { name: 'a white window with a shadow', ink: white, rows: 8, paper: clear, ground: 'light' },
  { name: 'a white page', ink: white, rows: 10, paper: clear, ground: 'light' },
])('the ground behind $name is $ground [PIC-97]', ({ ground, ...picture }) => {
  expect(choosePictureGround(createPlaceholder(picture))).toBe(ground);
});
