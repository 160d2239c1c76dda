// Proves that the canary finds leaks: in each channel a wrapper around a part of the server plants another one.
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AppError } from '#contract/errors.ts';
import type { CallReply } from '#contract/http.ts';
import { startApp } from '#tests/support/running-app.ts';
import { findMarks, listForms } from './marks.ts';
import { createMarkedPicture } from './marked-picture.ts';
import { canarySettings, useEverything, type Channel } from './use-everything.ts';

/** The leak of each channel, in another form each. */
const planted = vi.hoisted(() => new Map<Channel, string>());

vi.mock(import('#server/http/route.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    createRoute(...args) {
      const route = original.createRoute(...args);
      return (name, handle) =>
        route(name, async (incoming) => {
          const reply = await handle(incoming).catch((error: unknown) => {
            const leak = planted.get('error');
            throw leak ? new AppError('NOT_FOUND', `There is nothing here of ${leak}.`) : error;
          });
          if (planted.has('HTTP') && name === 'listMembers') {
            const { personas } = reply as CallReply<'listMembers'>;
            Object.assign(personas[0] ?? {}, { anonymousName: planted.get('HTTP') });
          }
          if (planted.has('search') && name === 'searchClasses') {
            const { results } = reply as CallReply<'searchClasses'>;
            Object.assign(results[0]?.hits[0] ?? {}, { courseName: planted.get('search') });
          }
          return reply;
        });
    },
  };
});

vi.mock(import('#server/live/frames.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    encodeFrame(frame) {
      const leak = planted.get('socket');
      if (!leak || frame.type !== 'events') return original.encodeFrame(frame);
      const items = frame.items.map((item) =>
        item.kind === 'persona'
          ? { ...item, persona: { ...item.persona, anonymousName: leak } }
          : item,
      );
      return original.encodeFrame({ ...frame, items });
    },
  };
});

vi.mock(import('#server/base/log.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    createLog(destination) {
      const log = original.createLog(destination);
      return {
        ...log,
        info(event, fields) {
          const file = planted.get('log');
          log.info(event, file ? { ...fields, file } : fields);
        },
      };
    },
  };
});

vi.mock(import('#server/accounts/account-mails.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    createResetMail(...args) {
      const mail = original.createResetMail(...args);
      const leak = planted.get('mail');
      return leak ? { ...mail, subject: `${leak} ${mail.subject}` } : mail;
    },
  };
});

vi.mock(import('#server/app.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    async createApp(...args) {
      const app = await original.createApp(...args);
      const emit = app.server.emit.bind(app.server);
      app.server.emit = ((event: string, ...rest: unknown[]) =>
        event === 'request' && answerUnfiltered(...(rest as [IncomingMessage, ServerResponse]))
          ? true
          : emit(event, ...rest)) as typeof app.server.emit;
      return app;
    },
  };
});

vi.mock(import('#server/features/notifications/compose.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    async composeNotification(...args) {
      const content = await original.composeNotification(...args);
      const title = planted.get('push');
      return content && title ? { ...content, title } : content;
    },
  };
});

/** Pictures and metrics are bytes that do not pass the allow-lists. */
function answerUnfiltered({ url = '' }: IncomingMessage, response: ServerResponse): boolean {
  const metric = url === '/metrics' && planted.get('metric');
  const picture = url.startsWith('/images/') && planted.get('picture');
  if (metric) response.end(`requests_total{of="${metric}"} 1\n`);
  if (picture) response.end(createMarkedPicture(picture));
  return Boolean(metric || picture);
}

const leaks: Record<Channel, { mark: string; form: string }> = {
  HTTP: { mark: 'email', form: 'base64 at 1' },
  socket: { mark: 'account id', form: 'sha256, hex' },
  search: { mark: 'email', form: 'backwards' },
  picture: { mark: 'EXIF', form: 'plain' },
  error: { mark: 'session id', form: 'plain' },
  metric: { mark: 'forwarded address', form: 'md5, base64' },
  log: { mark: 'user agent', form: 'hex' },
  push: { mark: 'account id', form: 'plain' },
  mail: { mark: 'file name', form: 'URL' },
  file: { mark: 'email', form: 'hex' },
};
const channels = Object.keys(leaks) as Channel[];

test('the canary finds the planted leak of each channel, and no other [ANON-3]', async () => {
  const app = await startApp(canarySettings);
  onTestFinished(() => app.stop());
  const { marks, outputs } = await useEverything(app, (knownMarks) => {
    for (const channel of channels) {
      const { mark, form } = leaks[channel];
      planted.set(channel, listForms(knownMarks[mark] ?? '').get(form) ?? '');
    }
    const folder = app.database.settings.DATA_DIR;
    writeFileSync(join(folder, 'left'), planted.get('file')!);
  });

  expect([...planted.values()].filter((leak) => leak.length <= 5)).toEqual([]);

  for (const channel of channels) {
    const { mark, form } = leaks[channel];
    const foundMarks = findMarks(marks, outputs.get(channel) ?? '');
    expect(foundMarks, channel).toContain(`${mark} (${form})`);
    // Other forms of this mark can be the same text.
    expect(foundMarks.filter((name) => !name.startsWith(`${mark} (`))).toEqual([]);
  }
});
