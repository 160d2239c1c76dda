// The command of `npm run admin` that merges a duplicate into the class that stays.
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { findClass, toClass } from '#server/chat/classes/classes-queries.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import {
  createConfirmation,
  defineDatabaseCommand,
  someText,
} from '#server/commands/admin-command.ts';
import { mergeClasses, previewMerge } from './merge-classes.ts';

export const mergeCommand = defineDatabaseCommand({
  name: 'merge-classes',
  description:
    'enrols the members of a duplicate in the class that stays, and ends the duplicate; its messages stay there, read-only',
  takes: {
    duplicate: someText.describe('the id of the class that ends'),
    kept: someText.describe('the id of the class that stays'),
  },
  options: { yes: createConfirmation('merge them') },
  toMessages: ({ duplicate, kept }) => ({
    NOT_FOUND: `There is no class with the id ${duplicate}, or none with the id ${kept}.`,
  }),
  async run({ config, db, loadKeys, write }, { duplicate: duplicateId, kept: keptId, yes }) {
    const merge = { duplicateId, keptId };
    const { site } = await loadKeys();
    const { reopenDays } = config;
    if (!yes) {
      const preview = await previewMerge({ db, site }, merge);
      const { duplicate, kept, roleTotal } = preview;
      const sentences = [
        `${formatName(duplicate)}, ${formatMemberCount(duplicate)}, would be merged into ${formatName(kept)}, ${formatMemberCount(kept)}.`,
        preview.isEnrolling
          ? 'Its members join that class, under new personas.'
          : 'Moderators removed someone from it, so no one joins that class automatically: its members get the link.',
        'It ends, as with end-class. Its messages stay there and can be read.',
        ...(reopenDays > 0
          ? [`Private questions there can be answered for ${reopenDays} more days.`]
          : []),
        'Mutes, ignored people, choices about notifications and positions of reading do not go along.',
        ...(roleTotal > 0
          ? [
              `Roles of moderators and staff in it, which will not hold in the class that stays: ${roleTotal}. Grant those that you want there.`,
            ]
          : []),
        'To merge them, add --yes.',
      ];
      return { message: sentences.join('\n'), isMerged: false, ...preview };
    }
    await write((unitOfWork) =>
      mergeClasses(unitOfWork, merge, { staffName: administratorName, reopenDays }),
    );
    const rows = [await findClass(db, duplicateId), await findClass(db, keptId)];
    const labels = rows.map((row) => (row ? formatName(toClass(row)) : ''));
    return {
      message: `${labels[0]} is merged into ${labels[1]}. It has ended, as with end-class.`,
      isMerged: true,
      ...merge,
    };
  },
});

/** The id is needed, because duplicates have the same label. */
const formatName = (mergedClass: Class) => `${toClassLabel(mergedClass)} (${mergedClass.classId})`;

const formatMemberCount = ({ memberCount }: Class) =>
  memberCount === 1 ? '1 member' : `${memberCount} members`;
