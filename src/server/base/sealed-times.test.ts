import { expect, test } from 'vitest';
import { timesContext } from './sealed-times.ts';

test('the texts to which stored times are bound stay as they were [UPGRADE-1]', () => {
  const texts = {
    account: timesContext.account('id'),
    session: timesContext.session('hash'),
    link: timesContext.link('hash'),
  };

  expect(texts).toEqual({
    account: 'account id',
    session: 'session hash',
    link: 'link hash',
  });
});
