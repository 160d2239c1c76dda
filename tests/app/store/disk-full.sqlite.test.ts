// The disk with the data folder is full, and later has free space again.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskFull, fillDisk } from '#tests/faults/faults/disk-full.ts';
import { mountSmallDisk } from '#tests/faults/small-disk.ts';
import { password } from '#tests/support/test-client.ts';
import { startApp } from '#tests/support/running-app.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';

test.skipIf(Boolean(diskFull.missing?.()))(
  'a server with a full disk rejects every write and is not ready [ERROR-6, ERROR-7, AUTH-9, HTTP-11]',
  async () => {
    const database = await createTestDatabase();
    const folder = database.settings.DATA_DIR;
    const unmount = mountSmallDisk(folder, 16);
    const app = await startApp({}, database);
    try {
      const ada = await app.createStudent();
      const ben = await app.createStudent();
      const classId = await ada.createClass();
      const socket = await ada.connect();
      const resetMail = app.waitForNextMailTo(ben);
      await ben.call('requestPasswordReset', { body: { email: ben.email } });
      const token = /token=(\S+)/.exec(await resetMail)?.[1] ?? '';
      const getStatus = async () => (await fetch(`${app.origin}/readyz`)).status;
      expect(await getStatus()).toBe(200);

      const ballast = join(folder, 'ballast');
      fillDisk(ballast);
      // SQLite's files may have free space left, so some writes still succeed.
      for (let i = 0; ; i++) {
        const answer = await socket.post(classId, 'x'.repeat(4000));
        if (answer.type === 'nack') break;
        if (i > 5000) throw new Error('The disk is not full.');
      }
      const rejection = { code: 'UNAVAILABLE' };
      const newcomer = app.visitor('newcomer');
      const signUp = () => newcomer.signUp();
      const newPassword = 'another long password';
      const reset = () => app.visitor().call('resetPassword', { body: { token, newPassword } });
      await expect(signUp()).rejects.toMatchObject(rejection);
      await expect(
        app.visitor().call('signIn', { body: { email: ada.email, password } }),
      ).rejects.toMatchObject(rejection);
      await expect(reset()).rejects.toMatchObject(rejection);
      await expect(
        app.visitor().call('requestPasswordReset', { body: { email: ada.email } }),
      ).rejects.toMatchObject(rejection);
      const page = await fetch(`${app.origin}/readyz`);
      expect([page.status, await page.text()]).toEqual([503, expect.stringContaining('disk')]);
      expect((await ada.call('me', {})).account).toMatchObject({ email: ada.email });
      expect(app.logLines.join('\n')).toContain('SQLITE_FULL');
      expect(app.logLines.join('\n')).not.toContain('SQLITE_ERROR');

      rmSync(ballast);
      await expect.poll(getStatus).toBe(200);
      await signUp();
      await reset();
      await ben.call('signIn', { body: { email: ben.email, password: newPassword } });
    } finally {
      await app.close();
      unmount();
      await database.drop();
    }
  },
);
