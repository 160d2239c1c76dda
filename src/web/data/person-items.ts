import type { Persona } from '#contract/entities.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import type { MenuItem } from '#web/ui/menu.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { useStore } from '#web/use-store.ts';
import { choosePreference } from './preferences.ts';
import type { ReportTarget } from './reports.ts';

export interface PersonOptions {
  classId: string;
  room: Room;
  persona: Persona;
  /** Puts a mention of the person into the message field. Null if the member cannot write. */
  onMention: ((persona: Persona) => void) | null;
  /** Opens the form that reports the person. */
  onReport: (target: ReportTarget) => void;
}

/** What a member can do with another person of a class: the same in the list of people and at a name in the room. */
export function usePersonItems(options: PersonOptions): { isIgnored: boolean; items: MenuItem[] } {
  const { classId, persona, onMention, onReport } = options;
  const { preferences } = options.room;
  const { ignored } = useStore(preferences);
  const notify = useNotify();
  const { memberId } = persona;
  const isIgnored = ignored.has(memberId);
  const choice = { list: 'ignored', id: memberId, isOn: !isIgnored } as const;
  const report = () => onReport({ messageId: null, persona, summary: '' });
  const items: MenuItem[] = [
    {
      icon: 'ignore',
      label: isIgnored ? getText('data.stopIgnoring') : getText('data.ignorePerson'),
      action: () => void choosePreference({ classId, preferences, notify }, choice),
    },
    { icon: 'flag', label: getText('data.reportPerson'), action: report },
  ];
  if (onMention) {
    items.unshift({ icon: 'at', label: getText('data.mention'), action: () => onMention(persona) });
  }
  return { isIgnored, items };
}
