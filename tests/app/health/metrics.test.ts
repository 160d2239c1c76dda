// /metrics on a running server: who may read it, and the complete list of what it says.
import { request } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

const token = 'Fq2-a+token/of=monitors';
let app: RunningApp;
let webDir: string;
beforeAll(async () => {
  webDir = mkdtempSync(join(tmpdir(), 'backchannel-web-'));
  for (const page of ['index.html', 'signed-in.html']) writeFileSync(join(webDir, page), '<p>');
  const settings = { METRICS_TOKEN: token, LIMITS: 'visits=1/1h' };
  app = await startApp(settings, undefined, webDir);
});
afterAll(async () => {
  await app.stop();
  rmSync(webDir, { recursive: true });
});

interface Answer {
  status: number | undefined;
  headers: Record<string, unknown>;
  body: string;
}

/** Sends exactly these headers, unlike `fetch`. */
function ask(
  headers: Record<string, string | string[]> = {},
  { path = '/metrics', method = 'GET' } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(`${app.origin}${path}`, { method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (body += part));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body }),
      );
    })
      .on('error', reject)
      .end();
  });
}

const toBearerHeader = (value: string) => ({ authorization: `Bearer ${value}` });

describe('/metrics', () => {
  test('/metrics has the content type of Prometheus, and no cache stores it [METRIC-1, METRIC-2]', async () => {
    const { status, headers, body } = await ask();
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(body.startsWith('# HELP ')).toBe(true);
    expect(body.endsWith('\n')).toBe(true);

    const head = await ask({}, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.headers['content-type']).toBe(headers['content-type']);
  });

  test('/metrics is neither a page of the app nor counted by the limits [METRIC-1]', async () => {
    for (let n = 0; n < 20; n++) expect((await ask()).status).toBe(200);
    for (const path of ['/metrics/', '/metrics/x', '/METRICS', '/Metrics/x']) {
      const { status, body } = await ask({}, { path });
      expect([status, JSON.parse(body)], path).toEqual([
        404,
        { code: 'NOT_FOUND', message: 'Not found, or you don’t have access.' },
      ]);
    }
    expect((await ask({ origin: app.origin }, { method: 'POST' })).status).toBe(404);

    const login = { path: '/api/me' };
    expect((await ask({}, login)).status).toBe(200);
    expect((await ask({}, login)).status).toBe(429);
    expect((await ask(toBearerHeader('wrong-wrong-wrong-wrong'))).status).toBe(401);
    expect((await ask()).status).toBe(200);
  });

  test('/metrics is served to the token under any host name [METRIC-3, HTTP-7]', async () => {
    const host = '10.0.0.5:3000';

    expect((await ask({ host, ...toBearerHeader(token) })).status).toBe(200);
    expect((await ask({ host, authorization: `bearer  ${token}` })).status).toBe(200);
    expect((await ask({ host })).status).toBe(401);
  });

  test('/metrics rejects every other token, also from this machine [METRIC-3]', async () => {
    for (const authorization of [
      'Bearer wrong-wrong-wrong-wrong',
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}x`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${token} ${token}`,
      'Bearer ',
      'Bearer',
      `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
      token,
      '',
    ]) {
      const { status, headers, body } = await ask({ authorization });
      expect(status, authorization).toBe(401);
      expect(headers['www-authenticate']).toBe('Bearer');
      expect(headers['cache-control']).toBe('no-store');
      expect(JSON.parse(body)).toEqual({
        code: 'UNAUTHENTICATED',
        message:
          'Metrics are for this machine itself, or for a request with the token of METRICS_TOKEN.',
      });
    }

    const repeatedHeader = { authorization: [`Bearer ${token}`, 'Bearer wrong-wrong-wrong-wrong'] };
    expect((await ask(repeatedHeader)).status).toBe(401);

    // A token in the address would end up in the logs of proxies.
    const forwarded = { 'x-forwarded-for': '10.0.0.5' };
    expect((await ask(forwarded, { path: `/metrics?token=${token}` })).status).toBe(401);
  });

  test('/metrics is the same text for everyone until its renewal [METRIC-8]', async () => {
    for (;;) {
      const { body } = await ask();
      await Promise.all(Array.from({ length: 300 }, () => ask({}, { path: '/api/nope' })));
      const { body: bodyAfter } = await ask(toBearerHeader(token));
      const [renewedAt = ''] = /renewed_timestamp_seconds \d+/.exec(body) ?? [];
      // The minute ended in between: try again.
      if (!bodyAfter.includes(renewedAt)) continue;
      expect(bodyAfter).toBe(body);
      return;
    }
  });

  test('/metrics has no other metrics and labels than these [METRIC-6, METRIC-2]', async () => {
    const { body } = await ask();
    const types = [...body.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
      ([, name, type]) => `${name} ${type}`,
    );
    expect(types.toSorted()).toEqual([
      'backchannel_backup_age_hours gauge',
      'backchannel_build_info gauge',
      'backchannel_bus_delay_seconds gauge',
      'backchannel_bus_lost gauge',
      'backchannel_bus_problems_total counter',
      'backchannel_commit_batch_size histogram',
      'backchannel_commit_problems_total counter',
      'backchannel_commit_seconds histogram',
      'backchannel_deliveries_total counter',
      'backchannel_event_loop_delay_p50_seconds gauge',
      'backchannel_event_loop_delay_p99_seconds gauge',
      'backchannel_failing gauge',
      'backchannel_failures_total counter',
      'backchannel_interface_errors_total counter',
      'backchannel_limits_hit_total counter',
      'backchannel_mails_total counter',
      'backchannel_metrics_renewed_timestamp_seconds gauge',
      'backchannel_oldest_case_days gauge',
      'backchannel_pictures_total counter',
      'backchannel_pushes_total counter',
      'backchannel_queue_length gauge',
      'backchannel_refusals_total counter',
      'backchannel_saving_failed gauge',
      'backchannel_search_seconds histogram',
      'backchannel_sockets gauge',
      'nodejs_heap_size_used_bytes gauge',
      'process_cpu_seconds_total counter',
      'process_resident_memory_bytes gauge',
      'process_start_time_seconds gauge',
    ]);

    const labels = new Map<string, string[]>();
    for (const [, name = '', label = '', value = ''] of body.matchAll(
      /^(\w+)\{(\w+)="([^"]*)"\} \S+$/gm,
    )) {
      const key = `${name} ${label}`;
      labels.set(key, [...(labels.get(key) ?? []), value]);
    }
    expect(Object.fromEntries(labels)).toEqual({
      'backchannel_bus_problems_total problem': ['repaired', 'refused'],
      'backchannel_commit_batch_size_bucket le': '1 2 5 10 20 50 100 256 +Inf'.split(' '),
      'backchannel_commit_problems_total problem': ['retried', 'failed'],
      'backchannel_commit_seconds_bucket le':
        '0.001 0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 +Inf'.split(' '),
      'backchannel_deliveries_total kind': ['events', 'notices'],
      'backchannel_failing part': ['mail', 'backup', 'clock', 'disk'],
      'backchannel_failures_total code': ['INTERNAL', 'UNAVAILABLE', 'PDF_BUSY'],
      'backchannel_interface_errors_total source': ['page'],
      'backchannel_limits_hit_total limit':
        'signUps signIns failedSignIns failedSignInsOfAccount suspectSignIns resets posts edits deletes reactions uploads searches messageSearches historyPages subscriptions readMarks sockets pictures calls visits refusals frames other'.split(
          ' ',
        ),
      'backchannel_mails_total outcome': ['sent', 'failed'],
      'backchannel_pictures_total outcome': ['processed', 'failed'],
      'backchannel_pushes_total outcome': ['sent', 'failed'],
      'backchannel_queue_length queue': ['mail', 'push', 'search_writes', 'pictures'],
      'backchannel_refusals_total code':
        'UNAUTHENTICATED WRONG_CREDENTIALS INVALID NOT_FOUND UNKNOWN_HOST FORBIDDEN_ORIGIN UPGRADE_REQUIRED TOO_LARGE TOO_MANY IMAGE_TOO_LARGE IMAGE_NOT_A_PICTURE IMAGE_BROKEN PDF_BROKEN PDF_TOO_COMPLEX other'.split(
          ' ',
        ),
      'backchannel_search_seconds_bucket le':
        '0.0005 0.001 0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.5 +Inf'.split(' '),
    });

    const knownLine =
      /^(# (HELP|TYPE) .*|backchannel_build_info\{version="[\d.]+",database="(sqlite|postgres)",node="[\d.]+"\} 1|\w+(\{\w+="[^"]*"\})? [\d.e+]+|)$/;
    expect(body.split('\n').filter((line) => !knownLine.test(line))).toEqual([]);
  });
});
