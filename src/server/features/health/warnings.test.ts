import { expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { createWarnings } from './warnings.ts';

const formatToday = () => new Date().toISOString().slice(0, 10);

test('an event that one person can cause shows after many, in steps, and never its fields [ADMIN-19]', () => {
  const lines: string[] = [];
  const { log, renew, list } = createWarnings(createLog({ write: (line) => lines.push(line) }));
  for (let n = 0; n < 9; n++) {
    log.warn('mail.failed', { file: 'ada.eml' });
    for (let renewals = 0; renewals < 12; renewals++) renew();
    expect(list()).toEqual([]);
  }
  for (let n = 0; n < 300; n++) log.error('request.failed', { route: '/api/me' });
  log.info('server.started');
  renew();
  expect(list()).toEqual([
    { event: 'request.failed', day: formatToday(), times: expect.any(Number) },
  ]);
  expect(Number(list()[0]?.times) % 10).toBe(0);
  expect(JSON.stringify(list())).not.toContain('/api/me');
  expect(lines).toHaveLength(310);
});

test('an event of the server itself shows with the first one, at the next renewal [ADMIN-19]', () => {
  const { log, renew, list } = createWarnings(createLog({ write: () => {} }));
  log.warn('mail.unreachable');
  expect(list()).toEqual([]);
  renew();
  expect(list()).toEqual([{ event: 'mail.unreachable', day: formatToday(), times: null }]);
});
