// The size of a stored value tells nothing of what is in it.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

const app = setUpApp();

test('a row of preferences has one size with the shortest and with the longest lists [SELF-50]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const ignored = Array.from({ length: limits.ignoredMembers }, () =>
    randomBytes(12).toString('base64url'),
  );
  const hidden = Array.from({ length: limits.hiddenMessages }, () => randomUUID());
  const params = { classId };
  const none = { ignored: [], hidden: [], muted: false, version: 0 };
  await ada.call('savePreferences', { params, body: none });
  await ben.call('savePreferences', { params, body: { ignored, hidden, muted: true, version: 0 } });

  // The stop writes the rows.
  await app.restart();

  const rows = await app.database.query('select length(content) as size from preferences');
  expect(rows).toHaveLength(2);
  expect(rows[0]).toEqual(rows[1]);
});
