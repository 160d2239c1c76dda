import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText, realText } from '#tests/support/university/arbitraries.ts';
import { createLog, type LogFields } from './log.ts';

/** The lines that the log writes for one warning. */
function toLines(fields: LogFields): string[] {
  const written: string[] = [];
  createLog({ write: (line) => void written.push(line) }).warn('theme.refused', fields);
  return written.join('').split('\n').slice(0, -1);
}

test('each text becomes one value of one line of the log [ANON-3]', () => {
  fc.assert(
    fc.property(anyText, anyText, (file, reason) => {
      const lines = toLines({ file, reason });

      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0]!)).toMatchObject({ event: 'theme.refused', file, reason });
    }),
  );
});

test('no text of an error reaches the log, not even one that looks like a place in the code [ANON-3]', () => {
  const frames = fc.constantFrom(
    '',
    '\n    at ',
    '\n    at async send (file:///src/',
    '\n  at x\n',
  );
  fc.assert(
    fc.property(realText, frames, realText, (prefix, frame, suffix) => {
      const secret = `${prefix}${frame}secret ${suffix}`;

      const [line = ''] = toLines({ error: new TypeError(secret) });

      const { error } = JSON.parse(line) as { error: Record<'name' | 'at', string> };
      expect(Object.keys(error)).toEqual(['name', 'at']);
      expect(error.name).toBe('TypeError');
      expect(error.at).toContain('log.test.ts');
      expect(line).not.toContain('secret');
    }),
  );
});
