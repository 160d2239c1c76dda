import { expect, test } from 'vitest';
import { toFramedSize } from './picture-size.ts';

test.each([
  ['a photo', [4000, 3000], [440, 330]],
  ['a tall one', [1500, 3000], [170, 340]],
  ['a small one', [120, 80], [120, 80]],
  ['a panorama', [8000, 400], [440, 110]],
  ['a long screenshot', [1000, 9000], [136, 340]],
])(
  'keeps space for %s in its proportions, within bounds [CHAT-9]',
  (_, [w, h], [width, height]) => {
    expect(toFramedSize({ width: w!, height: h! })).toEqual({ width, height });
  },
);

test('has a size for what this browser cannot show [PIC-36]', () => {
  expect(toFramedSize(null)).toEqual({ width: 240, height: 180 });
});
