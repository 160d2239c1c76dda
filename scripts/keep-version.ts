/**
 * Creates a database with the code of this version and keeps the database in `tests/app/earlier-versions`. A test opens the
 * database with each later version. `npm run release` runs this file.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { version } from '#server/base/version.ts';
import { toFixtureSecretKey, keptVersionsFolder } from '#tests/support/kept-versions.ts';
import { createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { startApp } from '#tests/support/running-app.ts';

const app = await startApp({ SECRET_KEY: toFixtureSecretKey(version) });
const dataDir = app.database.settings['DATA_DIR'] ?? '';
const ada = await app.createStudent('ada');
const ben = await app.createStudent('ben');
// The test expects this name.
const classId = await ada.createClass({ courseName: 'Data Structures' });
await ben.join(classId);
const params = { classId };
await ben.call('changePersona', { params, body: { anonymousName: 'Night Owl' } });
const adaSocket = await ada.connectTo(classId);
const benSocket = await ben.connectTo(classId);
const welcome = await adaSocket.post(classId, 'Welcome to the first version');
const question = { id: crypto.randomUUID(), text: 'Is the exam on Friday?', replyTo: welcome.id };
await benSocket.request({ type: 'post', classId, ...question });
await benSocket.request({ type: 'react', classId, messageId: welcome.id, emoji: '👍' });
const { imageId } = await upload(ada, classId, await createJpeg(60, 40));
await postPicture(adaSocket, classId, imageId, { alt: 'A board' });
await app.close();

const folder = join(keptVersionsFolder, version);
mkdirSync(folder, { recursive: true });
const database = readFileSync(join(dataDir, 'backchannel.sqlite'));
writeFileSync(join(folder, 'backchannel.sqlite.gz'), gzipSync(database, { level: 9 }));
for (const name of readdirSync(join(dataDir, 'images'))) {
  copyFileSync(join(dataDir, 'images', name), join(folder, name));
}
await app.database.drop();
console.log(`${folder} is kept.`);
process.exit();
