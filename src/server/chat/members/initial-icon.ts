// Chooses the icon with which a persona appears, unless the member chooses another one.
import { findFreeIcon } from '#contract/persona.ts';
import type { Database } from '#server/store/tables.ts';
import { listIcons, listIconsOfAuthors } from './personas-queries.ts';

/** The number of personas to compare with. With more, each shape and hue is taken. */
const maxComparedPersonas = 300;
/** The number of messages whose authors are the latest speakers. They take at most 200 of 288 looks. */
const recentMessageCount = 200;

/**
 * Chooses an icon before its persona is inserted. Its shape and hue are free in the class or, in a large class, among the latest
 * speakers. The choice depends only on icons that the class can see, so it reveals nothing.
 */
export async function chooseInitialIcon(
  db: Database,
  classId: string,
  memberId: string,
): Promise<string> {
  const recentIcons = await listIconsOfAuthors(db, classId, recentMessageCount);
  const otherIcons = await listIcons(db, classId, maxComparedPersonas);
  return (
    findFreeIcon(memberId, [...recentIcons, ...otherIcons]) ??
    findFreeIcon(memberId, recentIcons) ??
    memberId
  );
}
