// A message that cannot be sent yet says why.
import { createSite, expect, stopServer, test } from './fixtures.ts';
import { aloneInAClass, delivery, message, say } from './room.ts';

test('a message over the rate limit counts down and is then sent [SEND-36]', async ({ people }) => {
  const site = await createSite({ LIMIT_POSTS: '1/15s' });
  try {
    const student = await site.newStudent();
    await student.createClass();
    const page = await people.newWindowOf(student, { baseURL: site.origin });
    await say(page, 'first');
    await say(page, 'second');
    const reason = message(page, 'second').getByRole('timer');
    await expect(reason).toHaveText(/^Sending again in \d+ s$/);
    await expect(reason).toHaveCount(0);
    await expect(delivery(page, 'second')).toHaveAttribute('aria-busy', 'false');
  } finally {
    await people.closeWindows();
    await site.end();
  }
});

test('a message without a connection says that it waits for one [SEND-36]', async ({
  people,
  site,
}) => {
  const { page } = await aloneInAClass(people, site);
  await say(page, 'before');
  await stopServer(people, site);
  await say(page, 'after');
  await expect(message(page, 'after')).toContainText('Waiting for a connection');
  await site.start();
  await expect(message(page, 'after')).not.toContainText('Waiting');
});
