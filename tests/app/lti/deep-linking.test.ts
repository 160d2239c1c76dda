import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  launch,
  linkCourse,
  postLaunch,
  readCourse,
  registerPlatform,
  startPlatformFor,
} from '#tests/support/lti-launch.ts';
import { roles, type LtiPlatform } from '#tests/support/lti-platform.ts';
import { toPublicOrigin } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
let platform: LtiPlatform;
beforeAll(async () => {
  platform = await startPlatformFor(app);
  await registerPlatform(app, platform);
});
afterAll(() => platform.stop());

const toPick = (deepLinking = {}) => ({
  roles: [roles.instructor],
  course: { id: 'course to pick for' },
  deepLinking,
});

/** An instructor with a class of their own. */
async function createInstructor(): Promise<{ instructor: TestClient; classId: string }> {
  const instructor = await app.createStudent();
  const classId = await instructor.createClass({ courseName: 'Botany' });
  await grantStaff(app, instructor, classId, 'Prof. Lee');
  return { instructor, classId };
}

const readPicking = async (person: TestClient) => (await readCourse(person))?.picking;

/** Does what a browser does with a form that sends itself. */
async function sendForm(page: string): Promise<Response> {
  const [, action = ''] = /action="([^"]+)"/.exec(page) ?? [];
  const [, token = ''] = /name="JWT" value="([^"]+)"/.exec(page) ?? [];
  return fetch(action, { method: 'POST', body: new URLSearchParams({ JWT: token }) });
}

test('the frame of the platform waits, and sends the signed link of the class that was picked in the window [LTI-13]', async () => {
  const { instructor, classId } = await createInstructor();
  const { login } = platform.start(toPick({ data: 'data of the place' }));
  // The frame has no cookies.
  const frame = app.visitor();
  const inFrame = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' };
  const first = await frame.fetch(`/lti/login?${login}`, { headers: inFrame, redirect: 'manual' });
  const waiting = first.headers.get('location')!;
  const page = await (await frame.fetch(waiting, { headers: inFrame })).text();
  expect(page).toContain('http-equiv="refresh"');

  const [, link = ''] = /<a href="([^"]+)"/.exec(page) ?? [];
  const inWindow = { 'sec-fetch-dest': 'document' };
  const opened = await instructor.fetch(link, { headers: inWindow, redirect: 'manual' });
  const form = await platform.authorize(opened.headers.get('location')!);
  expect((await postLaunch(instructor, platform, { form })).status).toBe(303);
  expect(await readPicking(instructor)).toEqual({ answerUrl: null });
  // Until the course has a class, the frame waits.
  expect(await (await frame.fetch(waiting, { headers: inFrame })).text()).not.toContain('JWT');
  await linkCourse(instructor, classId);

  const answer = await frame.fetch(waiting, { headers: inFrame });
  const policy = answer.headers.get('content-security-policy');
  expect(policy).toContain(`form-action ${platform.issuer};`);
  expect(policy).toContain(`frame-ancestors ${platform.issuer}`);
  const sent = await answer.text();
  // The hash is that of every character between the tags.
  const [, script = ''] = /<script>([^<]*)<\/script>/.exec(sent) ?? [];
  expect(policy).toContain(`'sha256-${hash('sha256', script, 'base64')}'`);
  expect((await sendForm(sent)).status).toBe(200);
  const dl = 'https://purl.imsglobal.org/spec/lti-dl/claim';
  const lti = 'https://purl.imsglobal.org/spec/lti/claim';
  expect(platform.linked.at(-1)).toMatchObject({
    [`${lti}/message_type`]: 'LtiDeepLinkingResponse',
    [`${lti}/version`]: '1.3.0',
    [`${lti}/deployment_id`]: platform.deploymentId,
    [`${dl}/data`]: 'data of the place',
    [`${dl}/content_items`]: [
      {
        type: 'ltiResourceLink',
        title: 'CS 146',
        url: `${toPublicOrigin(app)}/course`,
        window: { targetName: '_blank' },
        custom: { class: 'linked' },
      },
    ],
  });
  // A frame that loads again, because a reply was lost, still gets it.
  expect(await (await frame.fetch(waiting, { headers: inFrame })).text()).toContain('JWT');
});

test('a window without a frame sends the answer itself [LTI-13]', async () => {
  const { instructor, classId } = await createInstructor();
  const course = { id: 'opened in a window' };
  expect((await launch(instructor, platform, { ...toPick(), course })).status).toBe(303);
  const { answerUrl } = (await readPicking(instructor))!;
  expect((await instructor.fetch(answerUrl!)).status).toBe(400);
  await linkCourse(instructor, classId);

  const answer = await instructor.fetch(answerUrl!);
  expect((await sendForm(await answer.text())).status).toBe(200);
});

test('a return address elsewhere is rejected, and a launch without one [LTI-13]', async () => {
  for (const deepLinking of [
    { deep_link_return_url: 'https://evil.example/linked' },
    { deep_link_return_url: platform.issuer.replace(/\d+$/, '9') },
    { deep_link_return_url: 'javascript:alert(1)' },
    { deep_link_return_url: undefined },
  ]) {
    expect((await launch(app.visitor(), platform, toPick(deepLinking))).status).toBe(400);
  }
});

test('a student gets no answer [LTI-13]', async () => {
  const student = await app.createStudent();

  await launch(student, platform, { ...toPick(), roles: [roles.learner] });

  expect(await readPicking(student)).toBeNull();
});
