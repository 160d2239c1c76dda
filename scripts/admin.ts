// `npm run admin` runs the operator's commands, whether the server runs or not.
import { classLabel } from '#contract/class-label.ts';
import { deleteClass, endClass } from '#server/domain/classes.ts';
import { restorableDays, restoreClass } from '#server/domain/deleted-classes.ts';
import { failureReason } from '#server/startup-failure.ts';
import { correctOne, renameAll } from './address-commands.ts';
import { grant, grantSpeaking, revoke, verify } from './moderation-commands.ts';
import { newKey } from './new-key.ts';
import { testMail } from './test-mail.ts';
import { writeChange } from './write-change.ts';

interface Command {
  /** The arguments of the command. Brackets mark an optional one, and dashes one to type as it is. */
  takes: string;
  does: string;
  /** Gets '' for a missing optional argument. @returns a sentence that says what was done */
  run(first: string, second: string, third: string): Promise<string>;
}

const commands: Record<string, Command> = {
  'delete-class': {
    takes: 'ID',
    does: `takes a class away from everybody, and erases it after ${restorableDays} days; ID is the end of its link, /home/ID`,
    async run(classId) {
      const deleted = await writeChange((change) => deleteClass(change, classId), {
        NOT_FOUND: `There is no class with the id ${classId}.`,
      });
      return `The class ${classLabel(deleted)} is deleted. Its messages and pictures are kept for ${restorableDays} days, then erased. Until then: npm run admin -- restore-class ${classId}`;
    },
  },
  'restore-class': {
    takes: 'ID',
    does: `brings back a class that was deleted within the last ${restorableDays} days`,
    async run(classId) {
      const restored = await writeChange((change) => restoreClass(change, classId), {
        NOT_FOUND: `There is no deleted class with the id ${classId}, or it was deleted more than ${restorableDays} days ago.`,
      });
      return `The class ${classLabel(restored)} is back, with its members, personas and messages.`;
    },
  },
  'end-term': {
    takes: 'ID',
    does: 'makes a class one to read only, and forgets for good which account each of its personas is',
    async run(classId) {
      const ended = await writeChange((change) => endClass(change, classId), {
        NOT_FOUND: `There is no class with the id ${classId}.`,
      });
      return `The class ${classLabel(ended)} has ended. Members can still read it. No one can link its messages to accounts any more. Older backups still contain the link: delete them.`;
    },
  },
  'grant-operator': {
    takes: 'EMAIL NAME',
    does: 'lets an account moderate all classes and read the audit log, which shows NAME; quote a NAME with spaces',
    run: (email, name) => grant(email, null, name),
  },
  'grant-moderator': {
    takes: 'EMAIL CLASSID NAME',
    does: 'lets an account moderate one class; the audit log shows NAME',
    run: grant,
  },
  'grant-staff': {
    takes: 'EMAIL CLASSID NAME',
    does: "lets an instructor or assistant speak in a class as NAME, with the badge 'Staff'",
    run: grantSpeaking,
  },
  'revoke-role': {
    takes: 'EMAIL [CLASSID]',
    does: 'takes back the role of an operator, or the roles of an account in the class',
    run: (email, classId) => revoke(email, classId || null),
  },
  'correct-address': {
    takes: 'OLD NEW',
    does: 'gives the account with the address OLD the address NEW, signs its devices out, and tells both addresses',
    run: correctOne,
  },
  'rename-domain': {
    takes: 'OLD NEW [--yes]',
    does: 'moves all addresses of the domain OLD to the domain NEW; without --yes, says what would happen',
    run: (from, to, flag) => renameAll(from, to, { confirmed: flag === '--yes' }),
  },
  'verify-audit': {
    takes: '[HASH]',
    does: 'checks that no entry of the audit log was changed or removed; with a hash that you noted, also that the last entries are there',
    run: verify,
  },
  'test-mail': {
    takes: 'ADDRESS',
    does: 'sends a mail to the address and says what the mail server answered',
    run: testMail,
  },
  'new-key': {
    takes: '[--yes]',
    does: 'replaces the server key, while the server is stopped: keeps personas if the old key is here, and goes on without it if it is lost',
    run: (flag) => newKey(flag === '--yes'),
  },
};

// Only this user may read the files that SQLite creates. The server uses the same umask.
process.umask(0o077);
process.exitCode = await main(process.argv.slice(2));

async function main([name = '', ...given]: string[]): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command || !fits(command, given)) {
    console[name ? 'error' : 'log'](usage());
    return name ? 1 : 0;
  }
  const [first = '', second = '', third = ''] = given;
  try {
    console.log(await command.run(first, second, third));
    return 0;
  } catch (error) {
    console.error(`Nothing was done: ${failureReason(error)}`);
    return 1;
  }
}

function fits({ takes }: Command, given: readonly string[]): boolean {
  const places = takes.split(' ').filter(Boolean);
  if (given.length > places.length) return false;
  return places.every((place, at) => {
    const optional = /^\[(.*)\]$/.exec(place)?.[1];
    const argument = given[at];
    if (argument === undefined) return optional !== undefined;
    return optional?.startsWith('--') ? argument === optional : argument !== '';
  });
}

function usage(): string {
  const lines = Object.entries(commands).map(
    ([name, { takes, does }]) => `  npm run admin -- ${`${name} ${takes}`.trim()}\n      ${does}`,
  );
  return `Commands, with the settings that the server has (DATA_DIR or DATABASE_URL):\n\n${lines.join('\n')}`;
}
