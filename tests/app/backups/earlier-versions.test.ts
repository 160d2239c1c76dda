// Data that each released version wrote, opened with the program of today.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  toFixtureSecretKey,
  keptVersionsFolder,
  unpackVersion,
} from '#tests/support/kept-versions.ts';
import { loadImageMetadata } from '#tests/support/pictures.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startApp } from '#tests/support/running-app.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';

const versions = readdirSync(keptVersionsFolder);
/** How far both students had read. Version 0.1.0 stored no positions, so everything counts as read. */
const readSeqs: Partial<Record<string, number>> = { '0.3.0': 1 };

test('the tests have the data of each released version [UPGRADE-1]', () => {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)\b/gm)].map(([, version]) => version);

  expect(released).not.toEqual([]);
  expect(new Set(versions)).toEqual(new Set(released));
});

describe.each(versions)('the data of version %s', (version) => {
  test('the data of a released version opens completely, and the chat goes on [UPGRADE-1, BACKUP-2]', async () => {
    const database = await createTestDatabase();
    const { DATA_DIR: dataDir } = database.settings;
    const SECRET_KEY = toFixtureSecretKey(version);
    if ('DATABASE_URL' in database.settings) {
      // A backup of any version can move to PostgreSQL.
      const file = join(dataDir, 'kept');
      unpackVersion(version, file);
      const { output } = await runCommand('restore', [file], { ...database.settings, SECRET_KEY });
      expect(output).toContain('is the database now');
    } else {
      unpackVersion(version, join(dataDir, 'backchannel.sqlite'), join(dataDir, 'images'));
    }
    const app = await startApp({ SECRET_KEY }, database);
    const ada = app.visitor('ada');
    const ben = app.visitor('ben');
    await ada.signIn();
    await ben.signIn();

    const { classes } = await ben.call('listClasses', {});
    expect(classes).toMatchObject([{ courseName: 'Data Structures', memberCount: 2 }]);

    const { classId } = classes[0]!;

    const { me, seq, messages } = await ben.snapshot(classId);
    expect(me).toMatchObject({ anonymousName: 'Night Owl', readSeq: readSeqs[version] ?? seq });

    const [welcome, question, picture] = messages;
    expect(messages).toMatchObject([
      { text: 'Welcome to the first version', reactions: { [me.memberId]: '👍' } },
      { text: 'Is the exam on Friday?', memberId: me.memberId, replyTo: welcome!.id },
      { text: '', memberId: welcome!.memberId, images: [{ width: 60, alt: 'A board' }] },
    ]);
    expect(await loadImageMetadata(ada, picture!.images[0]!.imageUrl)).toMatchObject({ width: 60 });

    const search = { params: { classId }, query: { query: 'exam' } };
    // The words of old messages are indexed after the start.
    await expect
      .poll(async () => (await ada.call('searchMessages', search)).hits)
      .toMatchObject([{ message: { id: question!.id } }]);

    expect(await ada.post(classId, 'And on')).toMatchObject({ type: 'ack' });
    expect((await ada.snapshot(classId)).me.memberId).toBe(welcome!.memberId);
    expect(app.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);

    await app.stop();
  });
});
