// The commands of `npm run admin` for announcements.
import { z } from 'zod';
import { announcementBody, type ListedAnnouncement } from '#contract/announcements.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { defineDatabaseCommand, someText, toMissingClass } from '#server/commands/admin-command.ts';
import { announce, listAnnouncements, withdrawAnnouncement } from './announcements.ts';

const minuteMs = 60_000;
const unitMs = { m: minuteMs, h: 60 * minuteMs, d: 24 * 60 * minuteMs } as const;

export const announcementCommands = [
  defineDatabaseCommand({
    name: 'announce',
    description: 'shows a banner to everyone who is signed in, or to the members of one class',
    takes: {
      text: announcementBody.shape.text.describe('plain text of at most 500 characters; quote it'),
    },
    options: {
      end: someText.describe(
        'when it ends: 2026-12-01T18:00 on the clock of TIME_ZONE, or how long: 90m, 12h, 3d',
      ),
      class: someText
        .optional()
        .describe('only for the class with this id, the end of the link /home/ID'),
      readOnly: z
        .boolean()
        .default(false)
        .describe('until the end, members of all classes can read and not write'),
    },
    toMessages: (input) => toMissingClass({ classId: input.class ?? '' }),
    async run({ config, write }, { text, end, class: classId = null, readOnly: isReadOnly }) {
      if (isReadOnly && classId !== null) {
        throw new Error('--read-only is for everyone: leave out --class.');
      }
      const { timeZone } = config.termEnds;
      const body = { text, classId, endsAt: parseEnd(end, timeZone) };
      const { announcementId, endsAt } = await write((change) =>
        announce(change, body, administratorName, isReadOnly ? 'maintenance' : 'published'),
      );
      const audience = classId === null ? 'everyone who is signed in' : 'the members of the class';
      return {
        message: `Announced to ${audience} until ${formatEnd(endsAt, timeZone)}.${isReadOnly ? ' Until then, members can read and not write.' : ''} To withdraw it: npm run admin -- withdraw-announcement ${announcementId}`,
        announcementId,
        endsAt: new Date(endsAt).toISOString(),
      };
    },
  }),
  defineDatabaseCommand({
    name: 'list-announcements',
    description: 'lists the announcements, also those that ended in the last 30 days',
    async run({ config, db }) {
      const announcements = await listAnnouncements(db);
      const lines = announcements.map(
        ({ announcementId, label, text, endsAt, phase }) =>
          `${announcementId}  ${phaseTexts[phase]} ${formatEnd(endsAt, config.termEnds.timeZone)}, for ${label ?? 'everyone'}\n    ${text.replaceAll('\n', '\n    ')}`,
      );
      return {
        message: lines.join('\n') || 'No announcements.',
        announcements: announcements.map((announcement) => ({
          ...announcement,
          announcedAt: new Date(announcement.announcedAt).toISOString(),
          endsAt: new Date(announcement.endsAt).toISOString(),
        })),
      };
    },
  }),
  defineDatabaseCommand({
    name: 'withdraw-announcement',
    description: 'ends an announcement early',
    takes: { announcementId: someText.describe('as announce and list-announcements print it') },
    toMessages: ({ announcementId }) => ({
      NOT_FOUND: `There is no announcement with the id ${announcementId}.`,
    }),
    async run({ write }, { announcementId }) {
      const { text } = await write((change) =>
        withdrawAnnouncement(change, announcementId, administratorName),
      );
      return { message: `No one sees this announcement any more: ${text}`, announcementId };
    },
  }),
];

const phaseTexts: Record<ListedAnnouncement['phase'], string> = {
  shown: 'shown until',
  ended: 'ended',
  withdrawn: 'withdrawn',
};

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
