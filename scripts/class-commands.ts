// The commands of `npm run admin` for classes.
import { classLabel } from '#contract/class-label.ts';
import { deleteClass, endClass } from '#server/domain/classes.ts';
import { restorableDays, restoreClass } from '#server/domain/deleted-classes.ts';
import { administrator, type CommandReport } from './command-report.ts';
import { writeChange } from './write-change.ts';

export async function deleteOne(classId: string): Promise<CommandReport> {
  const deleted = await writeChange((change) => deleteClass(change, classId, administrator), {
    NOT_FOUND: `There is no class with the id ${classId}.`,
  });
  const label = classLabel(deleted);
  return {
    message: `The class ${label} is deleted. Its messages and pictures are kept for ${restorableDays} days, then erased. Until then: npm run admin -- restore-class ${classId}`,
    classId,
    label,
    restorableDays,
  };
}

export async function restoreOne(classId: string): Promise<CommandReport> {
  const restored = await writeChange((change) => restoreClass(change, classId, administrator), {
    NOT_FOUND: `There is no deleted class with the id ${classId}, or it was deleted more than ${restorableDays} days ago.`,
  });
  const label = classLabel(restored);
  return {
    message: `The class ${label} is back, with its members, personas and messages.`,
    classId,
    label,
    ended: restored.ended,
  };
}

export async function endOne(classId: string): Promise<CommandReport> {
  const ended = await writeChange((change) => endClass(change, classId, administrator), {
    NOT_FOUND: `There is no class with the id ${classId}.`,
  });
  const label = classLabel(ended);
  return {
    message: `The class ${label} has ended. Members can still read it. No one can link its messages to accounts any more. Older backups still contain the link: delete them.`,
    classId,
    label,
  };
}
