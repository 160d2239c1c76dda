// The commands of `npm run admin` for announcements.
import { Option } from 'commander';
import type { ListedAnnouncement } from '#contract/announcements.ts';
import { announcementBody } from '#contract/announcements.ts';
import { announce, listAnnouncements, withdrawAnnouncement } from './announcements.ts';
import {
  createRequiredArgument,
  parseText,
  type AdminCommand,
  type CommandContext,
  type CommandReport,
} from '#server/commands/admin-command.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { runOnDatabase, writeChange } from '#server/commands/write-change.ts';

const minuteMs = 60_000;
const unitMs = { m: minuteMs, h: 60 * minuteMs, d: 24 * 60 * minuteMs } as const;

export const announcementCommands: readonly AdminCommand[] = [
  {
    name: 'announce',
    description: 'shows a banner to everyone who is signed in, or to the members of one class',
    takes: [createRequiredArgument('TEXT', 'plain text of at most 500 characters; quote it')],
    options: [
      new Option(
        '--end <TIME>',
        'when it ends: 2026-12-01T18:00 on the clock of TIME_ZONE, or how long: 90m, 12h, 3d',
      )
        .argParser(parseText)
        .makeOptionMandatory(),
      new Option('--class <ID>', 'only for the class at the end of the link /home/ID').argParser(
        parseText,
      ),
    ],
    run: announceText,
  },
  {
    name: 'list-announcements',
    description: 'lists the announcements, also those that ended in the last 30 days',
    takes: [],
    run: listAll,
  },
  {
    name: 'withdraw-announcement',
    description: 'ends an announcement early',
    takes: [createRequiredArgument('ID', 'as announce and list-announcements print it')],
    run: withdrawOne,
  },
];

interface AnnounceOptions {
  end: string;
  class?: string;
}

async function announceText(
  { config, options }: CommandContext<AnnounceOptions>,
  text: string,
): Promise<CommandReport> {
  const { timeZone } = config.termEnds;
  const { class: classId } = options;
  const body = announcementBody.safeParse({
    text,
    classId: classId ?? null,
    endsAt: parseEnd(options.end, timeZone),
  });
  if (!body.success) {
    // Zod's message would be about the format of an id.
    if (body.error.issues[0]?.path[0] === 'classId') throw new Error(describeMissingClass(classId));
    throw new Error(body.error.issues[0]?.message ?? 'The announcement is wrong.');
  }
  const { announcementId, endsAt } = await writeChange(
    config.database,
    (change) => announce(change, body.data, administratorName),
    { NOT_FOUND: describeMissingClass(classId) },
  );
  const audience = classId === undefined ? 'everyone who is signed in' : 'the members of the class';
  return {
    message: `Announced to ${audience} until ${formatEnd(endsAt, timeZone)}. To withdraw it: npm run admin -- withdraw-announcement ${announcementId}`,
    announcementId,
    endsAt: new Date(endsAt).toISOString(),
  };
}

async function listAll({ config }: CommandContext): Promise<CommandReport> {
  const { timeZone } = config.termEnds;
  const announcements = await runOnDatabase(config.database, ({ db }) => listAnnouncements(db));
  const lines = announcements.map(
    ({ announcementId, label, text, endsAt, phase }) =>
      `${announcementId}  ${toPhaseText(phase)} ${formatEnd(endsAt, timeZone)}, for ${label ?? 'everyone'}\n    ${text.replaceAll('\n', '\n    ')}`,
  );
  return {
    message: lines.length > 0 ? lines.join('\n') : 'No announcements.',
    announcements: announcements.map((announcement) => ({
      ...announcement,
      announcedAt: new Date(announcement.announcedAt).toISOString(),
      endsAt: new Date(announcement.endsAt).toISOString(),
    })),
  };
}

function toPhaseText(phase: ListedAnnouncement['phase']): string {
  return { shown: 'shown until', ended: 'ended', withdrawn: 'withdrawn' }[phase];
}

async function withdrawOne(
  { config }: CommandContext,
  announcementId: string,
): Promise<CommandReport> {
  const { text } = await writeChange(
    config.database,
    (change) => withdrawAnnouncement(change, announcementId, administratorName),
    { NOT_FOUND: `There is no announcement with the id ${announcementId}.` },
  );
  return { message: `No one sees this announcement any more: ${text}`, announcementId };
}

const describeMissingClass = (classId = '') => `There is no class with the id ${classId}.`;

/** A time on the clock of TIME_ZONE, one with its own offset, or how long from now. */
export function parseEnd(text: string, timeZone: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) {
    // The end is a full minute: the announcement is shown no shorter than asked for.
    const end = Date.now() + Number(count) * unitMs[unit as keyof typeof unitMs];
    return Math.ceil(end / minuteMs) * minuteMs;
  }
  const [, day = '', minute = '', offset] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? [];
  const typedTime = Date.parse(`${day}T${minute}Z`);
  // Date.parse turns 30 February into a day in March.
  if (
    Number.isNaN(typedTime) ||
    !new Date(typedTime).toISOString().startsWith(`${day}T${minute}`)
  ) {
    throw new Error(
      '--end takes a time such as 2026-12-01T18:00, or how long, such as 90m, 12h or 3d.',
    );
  }
  if (offset) return Date.parse(`${day}T${minute}${offset}`);
  // When the clock changes, a time can come twice or never. The later end shows the text no shorter than asked for.
  return Temporal.PlainDateTime.from(`${day}T${minute}`).toZonedDateTime(timeZone, {
    disambiguation: 'later',
  }).epochMilliseconds;
}

function formatEnd(time: number, timeZone: string): string {
  const style = { dateStyle: 'medium', timeStyle: 'long', timeZone } as const;
  return new Intl.DateTimeFormat('en-US', style).format(time).replace(/:\d{2}(?= [AP]M)/, '');
}
