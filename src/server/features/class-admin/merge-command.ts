// The command of `npm run admin` that merges a duplicate into the class that stays.
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { mergeClasses, previewMerge } from './merge-classes.ts';
import { findClass, toClass } from '#server/chat/classes/classes-queries.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import {
  createConfirmationOption,
  createRequiredArgument,
  type AdminCommand,
  type CommandContext,
  type CommandReport,
  type Confirmation,
} from '#server/commands/admin-command.ts';
import { runOnDatabase } from '#server/commands/write-change.ts';

export const mergeCommand: AdminCommand = {
  name: 'merge-classes',
  description:
    'enrols the members of a duplicate in the class that stays, and ends the duplicate; its messages stay there, read-only',
  takes: [
    createRequiredArgument('DUPLICATE', 'the id of the class that ends'),
    createRequiredArgument('KEPT', 'the id of the class that stays'),
  ],
  options: [createConfirmationOption('merge them')],
  run: mergeTwo,
};

async function mergeTwo(
  { config, options }: CommandContext<Confirmation>,
  duplicateId: string,
  keptId: string,
): Promise<CommandReport> {
  const merge = { duplicateId, keptId };
  const keys = loadCommandKeys(config);
  return runOnDatabase(
    config.database,
    async ({ db, commits }) => {
      await keys.check(db);
      const { personas: personaKey } = keys.server;
      if (!options.yes) {
        const {
          duplicate,
          kept: keptClass,
          ...preview
        } = await previewMerge(db, personaKey, merge);
        const sentences = [
          `${formatName(duplicate)}, ${formatMemberCount(duplicate)}, would be merged into ${formatName(keptClass)}, ${formatMemberCount(keptClass)}.`,
          preview.isEnrolling
            ? 'Its members join that class, under new personas.'
            : 'Moderators removed someone from it, so no one joins that class automatically: its members get the link.',
          'It ends, as with end-class. Its messages stay there and can be read.',
          'Mutes, ignored people, choices about notifications and positions of reading do not go along.',
          ...(preview.roleTotal > 0
            ? [
                `Roles of moderators and staff in it, which will not hold in the class that stays: ${preview.roleTotal}. Grant those that you want there.`,
              ]
            : []),
          'To merge them, add --yes.',
        ];
        return {
          message: sentences.join('\n'),
          isMerged: false,
          duplicate,
          kept: keptClass,
          ...preview,
        };
      }
      const { reopenDays } = config;
      await commits.write(
        (unitOfWork) =>
          mergeClasses(unitOfWork, personaKey, merge, {
            staffName: administratorName,
            reopenDays,
          }),
        'everything',
      );
      const duplicate = await findClass(db, duplicateId);
      const keptClass = await findClass(db, keptId);
      const labels = [duplicate, keptClass].map((row) => (row ? formatName(toClass(row)) : ''));
      return {
        message: `${labels[0]} is merged into ${labels[1]}. It has ended, as with end-class.`,
        isMerged: true,
        duplicateId,
        keptId,
      };
    },
    { NOT_FOUND: `There is no class with the id ${duplicateId}, or none with the id ${keptId}.` },
  );
}

/** The id is needed, because duplicates have the same label. */
const formatName = (mergedClass: Class) => `${toClassLabel(mergedClass)} (${mergedClass.classId})`;

const formatMemberCount = ({ memberCount }: Class) =>
  memberCount === 1 ? '1 member' : `${memberCount} members`;
