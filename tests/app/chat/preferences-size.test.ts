// The size of a stored value reveals nothing of its content.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

const app = setUpApp();

test('stored preferences have one size, however long their lists are [SELF-50]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const fullPreferences = {
    ignored: Array.from({ length: limits.ignoredMembers }, () =>
      randomBytes(12).toString('base64url'),
    ),
    hidden: Array.from({ length: limits.hiddenMessages }, () => randomUUID()),
    muted: true,
    version: 0,
  };
  const params = { classId };
  const emptyPreferences = { ignored: [], hidden: [], muted: false, version: 0 };
  await ada.call('savePreferences', { params, body: emptyPreferences });
  await ben.call('savePreferences', { params, body: fullPreferences });

  // The server writes the rows when it stops.
  await app.restart();

  const rows = await app.database.query('select length(content) as size from preferences');
  expect(rows).toHaveLength(2);
  expect(rows[0]).toEqual(rows[1]);
});
