// Mails that a fake mail server collected: sign-up links and daily emails.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeSmtp } from './fake-smtp.ts';
import { password, type TestClient } from './test-client.ts';

/** Undoes quoted-printable in the text. The headers stay: the token of a link could look encoded. */
function decodeMail(mail: string): string {
  const [headers = '', ...parts] = mail.split('\n\n');
  if (!/^Content-Transfer-Encoding: quoted-printable$/im.test(headers)) return mail;
  const text = parts
    .join('\n\n')
    .replace(/=\n/g, '')
    .replace(/(=[0-9A-F]{2})+/g, (bytes) =>
      Buffer.from(bytes.replaceAll('=', ''), 'hex').toString('utf8'),
    );
  return `${headers}\n\n${text}`;
}

export function listDigestsTo(smtp: FakeSmtp, { email }: Pick<TestClient, 'email'>): string[] {
  return smtp.taken
    .filter((mail) => mail.includes(`To: ${email}\n`) && mail.includes('Subject: What you missed'))
    .map(decodeMail);
}

/** Signs up by the mailed link. */
export async function verify(smtp: FakeSmtp, student: TestClient): Promise<TestClient> {
  await student.signUp();
  const findVerifyToken = () =>
    smtp.taken
      .filter((mail) => mail.includes(`To: ${student.email}\n`))
      .map((mail) => /verify-email#token=([\w-]+)/.exec(decodeMail(mail))?.[1])
      .at(-1);
  while (findVerifyToken() === undefined) await sleep(20);
  await student.call('verifyEmail', { body: { token: findVerifyToken() ?? '', password } });
  return student;
}

/** The link by which a mail program unsubscribes, as the path on the server. */
export function unsubscribePath(mail: string): string {
  const [, url = ''] = /^List-Unsubscribe: <([^>]+)>$/m.exec(mail.replace(/\n\s+/g, ' ')) ?? [];
  return url === '' ? '' : new URL(url).pathname + new URL(url).search;
}
