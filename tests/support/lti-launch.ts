// What a browser does in a launch, without a browser: the login, the platform's form, and where the form goes.
import { runAdminCommand } from './run-command.ts';
import { startLtiPlatform, type AutoForm, type Launch, type LtiPlatform } from './lti-platform.ts';
import { toPublicOrigin, type RunningApp } from './running-app.ts';
import type { TestClient } from './test-client.ts';
import type { Settings } from './child-environment.ts';

/** Starts a platform that knows the address of the app. */
export function startPlatformFor(app: Pick<RunningApp, 'origin'>): Promise<LtiPlatform> {
  return startLtiPlatform(toPublicOrigin(app));
}

/** The operator registers the platform by hand. */
export async function registerPlatform(
  { database }: { database: { settings: Settings } },
  {
    issuer,
    clientId,
    deploymentId,
    authorizationUrl,
    keySetUrl,
  }: Pick<LtiPlatform, 'issuer' | 'clientId' | 'deploymentId' | 'authorizationUrl' | 'keySetUrl'>,
  ...options: string[]
): Promise<void> {
  const { origin } = new URL(authorizationUrl);
  const args = [issuer, clientId, deploymentId, origin, authorizationUrl, keySetUrl, ...options];
  const { code, errors } = await runAdminCommand(database.settings, 'register-lms', ...args);
  if (code !== 0) throw new Error(errors.join(' '));
}

export interface StartedLogin {
  authorizationUrl: string;
  /** What the platform's page sends to the tool. */
  form: AutoForm;
}

export async function startLogin(
  client: TestClient,
  platform: LtiPlatform,
  described?: Launch,
): Promise<StartedLogin> {
  const { login } = platform.start(described);
  const response = await client.fetch(`/lti/login?${login}`, {
    redirect: 'manual',
    headers: { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'cross-site' },
  });
  const authorizationUrl = response.headers.get('location');
  if (!authorizationUrl) throw new Error(`The login answered ${response.status}.`);
  return { authorizationUrl, form: await platform.authorize(authorizationUrl) };
}

export function postLaunch(
  client: TestClient,
  platform: LtiPlatform,
  { form }: Pick<StartedLogin, 'form'>,
): Promise<Response> {
  return client.fetch(new URL(form.action).pathname, {
    method: 'POST',
    body: form.fields,
    redirect: 'manual',
    headers: { origin: platform.issuer, 'sec-fetch-site': 'cross-site' },
  });
}

/** @param change changes what the browser sends */
export async function launch(
  client: TestClient,
  platform: LtiPlatform,
  described?: Launch,
  change?: (form: AutoForm) => void,
): Promise<Response> {
  const started = await startLogin(client, platform, described);
  change?.(started.form);
  return postLaunch(client, platform, started);
}

/** The course that this browser opened last. */
export async function readCourse(person: TestClient) {
  return (await person.call('readCourse', {})).course;
}

export async function readCourseParams(person: TestClient): Promise<{ courseId: string }> {
  const course = await readCourse(person);
  return { courseId: course?.courseId ?? 'A'.repeat(16) };
}

export async function linkCourse(
  person: TestClient,
  classId: string,
  staffName = '',
): Promise<void> {
  const params = await readCourseParams(person);
  await person.call('linkCourse', { params, body: { classId, staffName } });
}
