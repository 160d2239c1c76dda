// The settings in force, as operators see them: with their source, and without secrets.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { grantRole } from '#tests/support/moderation.ts';
import { runAdminCommand, runCommandProcess } from '#tests/support/run-command.ts';
import { startApp } from '#tests/support/running-app.ts';

interface ShownSetting {
  setting: string;
  settingValue: string;
  source: string;
}
const indexByName = (inForce: readonly ShownSetting[]) =>
  Object.fromEntries(
    inForce.map(({ setting, settingValue, source }) => [setting, [settingValue, source]]),
  );

test('an operator sees each setting with its source, and no secret [ADMIN-27]', async () => {
  const token = 'metrics-token-that-is-secret';
  const app = await startApp({
    APP_NAME: 'Class Talk',
    EMAIL_VERIFICATION: 'off',
    LIMITS: 'posts=7/2m',
    SMTP_URL: 'smtp://mail-user:mail-password@127.0.0.1:9',
    METRICS_TOKEN: token,
  });
  try {
    const operator = await app.createStudent();
    await grantRole(app, operator, null, 'Kim');
    const { inForce } = await operator.call('readSettingsInForce', {});
    expect(indexByName(inForce)).toMatchObject({
      APP_NAME: ['Class Talk', 'environment'],
      SMTP_URL: ['smtp://127.0.0.1:9', 'environment'],
      METRICS_TOKEN: ['set', 'environment'],
      PUSH_DELAY: ['10', 'default'],
      LIMITS: ['posts=7/2m', 'environment'],
      // As the tests set it.
      LIMIT_FACTOR: ['off', 'environment'],
    });
    const areDefaults = inForce.map(({ source }) => source === 'default');
    expect(areDefaults).toEqual(areDefaults.toSorted((a, b) => Number(a) - Number(b)));
    const text = JSON.stringify(inForce);
    for (const secret of ['mail-user', 'mail-password', token]) {
      expect(text).not.toContain(secret);
    }
  } finally {
    await app.stop();
  }
});

test('the command settings says which settings come from a file [ADMIN-27]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'settings-'));
  const token = 'metrics-token-in-a-file';
  try {
    await writeFile(join(folder, 'token'), token);
    await writeFile(
      join(folder, 'chat.env'),
      'APP_NAME=From file\nPORT=4000\nCLASS_CREATION=operators\n',
    );
    const { code, output } = await runCommandProcess('admin', ['settings', '--json'], {
      DATA_DIR: folder,
      ENV_FILE: join(folder, 'chat.env'),
      PORT: '5000',
      METRICS_TOKEN_FILE: join(folder, 'token'),
    });
    expect(code).toBe(0);
    expect(output).not.toContain(token);
    expect(indexByName(JSON.parse(output).inForce)).toMatchObject({
      APP_NAME: ['From file', 'file'],
      CLASS_CREATION: ['operators', 'file'],
      PORT: ['5000', 'environment'],
      METRICS_TOKEN: ['set', 'file'],
      LIMIT_FACTOR: ['1', 'default'],
      SECRET_KEY: ['generated in KEY_DIR', 'default'],
    });
    const settings = { OPERATORS: 'kim@university.edu', EMAIL_VERIFICATION: 'required' };
    const text = await runAdminCommand({ DATA_DIR: folder, ...settings }, 'settings');
    expect(text.out).toMatch(/^OPERATORS +environment +1 addresses$/m);
    expect(text.out).not.toContain('kim@');
    expect(text.out).toMatch(/^DATA_DIR +environment +\S+$/m);
  } finally {
    await rm(folder, { recursive: true });
  }
});
