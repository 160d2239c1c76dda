// An account leaves and joins a class at the same moment, on two devices.
import { expect, test } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

const app = setUpApp();

test.each([
  ['leaveClass', 'joinClass'],
  ['joinClass', 'leaveClass'],
] as const)(
  'after a simultaneous %s and %s, every device shows what the database says [LEAVE-11, LIST-11]',
  async (first, second) => {
    const { ben, classId } = await createClassWithTwoMembers(app);
    const devices = [await ben.connect(), await ben.connect()];
    const params = { classId };
    const listEnrollments = ({ frames }: (typeof devices)[number]) =>
      frames.flatMap((frame) => (frame.type === 'enrolment' ? frame.joined : []));

    for (let round = 1; round <= 5; round++) {
      await Promise.all([ben.call(first, { params }), ben.call(second, { params })]);

      const { classes } = await ben.call('listClasses', {});
      for (const device of devices) {
        await expect.poll(() => listEnrollments(device)).toHaveLength(2 * round);
        expect(listEnrollments(device).at(-1)).toBe(classes.length === 1);
      }
    }
  },
);
