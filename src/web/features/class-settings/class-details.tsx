import type { Class, ClassSettings } from '#contract/entities.ts';
import {
  formatDayOrSeason,
  formatDays,
  formatMemberCount,
  formatSection,
  formatTimes,
} from '#web/data/class-details.ts';
import { useClassSettings } from '#web/data/class-settings.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { ClassTexts } from './class-texts.tsx';
import { describeRestrictions } from './settings-texts.ts';

interface Props {
  joinedClass: Class;
  /** The settings that the room has. */
  knownSettings: ClassSettings;
  serverNow: Room['serverNow'];
}

/** The facts about a class, what is restricted in it, its description and its rules. */
export function ClassDetails({ joinedClass, knownSettings, serverNow }: Props) {
  const settingsQuery = useClassSettings(joinedClass.classId, knownSettings);
  const settings = settingsQuery.data?.settings;
  const section = joinedClass.sectionNumber && formatSection(joinedClass.sectionNumber);
  const lines = [
    [section, formatDayOrSeason(joinedClass.semesterSeason), formatMemberCount(joinedClass)],
    [formatDays(joinedClass), formatTimes(joinedClass)],
  ];
  return (
    <>
      <div className="meta">
        {lines.map((line) => (
          <p key={line.join()}>{line.filter(Boolean).join(' · ')}</p>
        ))}
        {settings &&
          describeRestrictions(settings, serverNow()).map((line) => <p key={line}>{line}</p>)}
      </div>
      {!settings && settingsQuery.isError && (
        <QueryFailure className="stack-m start" query={settingsQuery} />
      )}
      {!settings && settingsQuery.isPending && (
        <div className="stack" role="status" aria-label={getText('common.loadingStatus')}>
          <Skeleton width="100%" />
          <Skeleton width="70%" />
        </div>
      )}
      {settings &&
        (settings.description || settings.rules ? (
          <ClassTexts description={settings.description} rules={settings.rules} />
        ) : (
          <p className="meta">{getText('classSettings.texts.empty')}</p>
        ))}
    </>
  );
}
