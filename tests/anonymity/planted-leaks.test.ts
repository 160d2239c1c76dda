// Proves that the canary finds leaks: in each channel a wrapper around a part of the server plants one.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { AppError } from '#contract/errors.ts';
import type { CallReply } from '#contract/http.ts';
import { startApp } from '#tests/support/running-app.ts';
import { findMarks, formsOf } from './marks.ts';
import { markedPicture } from './marked-picture.ts';
import { canarySettings, useEverything, type Channel } from './use-everything.ts';

/** The channel and content of the current leak. */
const planted = vi.hoisted(() => ({ in: null as string | null, leak: '' }));

vi.mock(import('#server/http/route.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    createRoute(...given) {
      const route = original.createRoute(...given);
      return (name, access, handle) =>
        route(name, access, async (incoming) => {
          if (planted.in === 'error' && name === 'changePersona') {
            throw new AppError('NOT_FOUND', `There is nothing here of ${planted.leak}.`);
          }
          const reply = await handle(incoming);
          if (planted.in === 'HTTP' && name === 'listMembers') {
            const { personas } = reply as CallReply<'listMembers'>;
            Object.assign(personas[0] ?? {}, { anonymousName: planted.leak });
          }
          if (planted.in === 'search' && name === 'searchClasses') {
            const { results } = reply as CallReply<'searchClasses'>;
            const [result] = results;
            if (result && 'hits' in result) {
              Object.assign(result.hits[0] ?? {}, { courseName: planted.leak });
            }
          }
          return reply;
        });
    },
  };
});

vi.mock(import('#server/socket/frames.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    encodeFrame(frame) {
      if (planted.in !== 'socket' || frame.type !== 'events') return original.encodeFrame(frame);
      const items = frame.items.map((item) =>
        item.kind === 'persona'
          ? { ...item, persona: { ...item.persona, anonymousName: planted.leak } }
          : item,
      );
      return original.encodeFrame({ ...frame, items });
    },
  };
});

vi.mock(import('#server/log.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    createLog(destination) {
      const log = original.createLog(destination);
      return {
        ...log,
        info: (event, fields) =>
          log.info(event, planted.in === 'log' ? { ...fields, file: planted.leak } : fields),
      };
    },
  };
});

vi.mock(import('#server/accounts/account-mails.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    resetMail(...given) {
      const mail = original.resetMail(...given);
      return planted.in === 'mail' ? { ...mail, subject: `${planted.leak} ${mail.subject}` } : mail;
    },
  };
});

vi.mock(import('#server/app.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    async createApp(...given) {
      const app = await original.createApp(...given);
      const emit = app.server.emit.bind(app.server);
      app.server.emit = ((event: string, ...rest: unknown[]) =>
        event === 'request' && answersItself(...(rest as [IncomingMessage, ServerResponse]))
          ? true
          : emit(event, ...rest)) as typeof app.server.emit;
      return app;
    },
  };
});

vi.mock(import('#server/domain/notifications/compose.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    async composeNotification(...given) {
      const content = await original.composeNotification(...given);
      return content && planted.in === 'push' ? { ...content, title: planted.leak } : content;
    },
  };
});

/** Pictures and metrics are bytes that do not pass the allow-lists. */
function answersItself({ url = '' }: IncomingMessage, response: ServerResponse): boolean {
  const metric = planted.in === 'metric' && url === '/metrics';
  const picture = planted.in === 'picture' && url.startsWith('/images/');
  if (metric) response.end(`requests_total{of="${planted.leak}"} 1\n`);
  if (picture) response.end(markedPicture(planted.leak));
  return metric || picture;
}

test.each<{ channel: Channel; mark: string; form: string }>([
  { channel: 'HTTP', mark: 'e-mail', form: 'base64 at 1' },
  { channel: 'socket', mark: 'account id', form: 'sha256, hex' },
  { channel: 'search', mark: 'e-mail', form: 'backwards' },
  { channel: 'picture', mark: 'EXIF', form: 'plain' },
  { channel: 'error', mark: 'session token', form: 'plain' },
  { channel: 'metric', mark: 'forwarded address', form: 'md5, base64' },
  { channel: 'log', mark: 'user agent', form: 'hex' },
  { channel: 'push', mark: 'account id', form: 'plain' },
  { channel: 'mail', mark: 'file name', form: 'URL' },
])(
  'a leak into $channel ($mark, $form) is found there, and only there [ANON-22]',
  async ({ channel, mark, form }) => {
    const app = await startApp(canarySettings);
    try {
      const { marks, outputs } = await useEverything(app, (known) => {
        planted.leak = formsOf(known[mark] ?? '').get(form) ?? '';
        planted.in = channel;
      });
      expect(planted.leak.length).toBeGreaterThan(5);
      const leaking = [...outputs].filter(([, content]) => findMarks(marks, content).length > 0);
      expect(leaking.map(([name]) => name)).toEqual([channel]);
      expect(findMarks(marks, outputs.get(channel) ?? '')).toContain(`${mark} (${form})`);
    } finally {
      planted.in = null;
      await app.stop();
    }
  },
);
