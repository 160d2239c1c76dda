import { useState } from 'react';
import { toClassLabel } from '#contract/class-label.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { getText } from '#web/get-text.ts';
import { Callout } from '#web/ui/callout.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { useAllClasses } from './admin.ts';
import { formatClassName, formatDayOrSeason } from './class-details.ts';

interface Props {
  classId: string | null;
  onChoose: (classId: string | null) => void;
  /** The choice of no class. */
  emptyLabel?: string;
  problem?: string | null | undefined;
}

/** An operator types words, or the id, of a class that is not deleted, and chooses it. */
export function ClassChoice({ classId, onChoose, emptyLabel, problem }: Props) {
  const [words, setWords] = useState('');
  const query = words.trim();
  const { data, isError, error } = useAllClasses(query ? { query } : {});
  const activeClasses =
    data?.classes.filter(({ restorableUntil }) => restorableUntil === null) ?? [];
  return (
    <>
      <TextField
        label={getText('data.classChoice.search')}
        type="search"
        dir="auto"
        autoComplete="off"
        maxLength={limits.searchQuery}
        value={words}
        onChange={({ target }) => {
          setWords(target.value);
          // The chosen class may no longer be on screen.
          onChoose(null);
        }}
      />
      <SelectField
        label={getText('data.classChoice.label')}
        value={classId ?? ''}
        problem={problem}
        onChange={({ target }) => onChoose(target.value || null)}
      >
        <option value="">
          {data && activeClasses.length === 0
            ? getText('data.classChoice.empty')
            : (emptyLabel ?? getText('data.classChoice.none'))}
        </option>
        {activeClasses.map((listedClass) => (
          <option key={listedClass.classId} value={listedClass.classId}>
            {[
              toClassLabel(listedClass),
              formatClassName(listedClass),
              formatDayOrSeason(listedClass.semesterSeason),
              listedClass.year,
            ]
              .filter(Boolean)
              .join(', ')}
          </option>
        ))}
      </SelectField>
      {isError && <Callout kind="error">{toErrorMessage(error)}</Callout>}
    </>
  );
}
