import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '#tests/support/university/arbitraries.ts';
import { toSchoolKey } from './school-key.ts';

test('the name of a theme file is a label of a host name, whatever the request says', () => {
  const hosts = fc.oneof(anyText, fc.domain(), fc.ipV4(), fc.ipV6());
  fc.assert(
    fc.property(hosts, (host) => {
      expect(toSchoolKey(host)).toMatch(/^[a-z0-9-]{1,63}$/i);
    }),
  );
});
