// Administration of classes (/admin/classes): operators search all classes, edit, end, reopen, merge and delete
// them, end a whole term, and import a registrar's CSV file (`import-page.tsx`). The list has the year, which
// students never see. It has no day of creation, because the creator of a class joined on that day.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ClassSort, ListedClass } from '#contract/class-admin.ts';
import { semesterSeasons } from '#contract/class-fields.ts';
import { formatTerm, toClassLabel } from '#contract/class-label.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { type ClassQuery, useAllClasses } from '#web/data/admin.ts';
import { formatClassName } from '#web/data/class-details.ts';
import { formatQuantity, formatCount, formatDay } from '#web/format.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import type { MenuItem } from '#web/ui/menu.tsx';
import { MenuButton } from '#web/ui/menu-button.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { EditClassDialog } from './edit-class-dialog.tsx';
import { exportClasses } from './export-classes.ts';
import { MergeDialog } from './merge-dialog.tsx';
import { type TermChoice, TermDialog, toEndChoice, toReopenChoice } from './term-dialog.tsx';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import { type ClassAction, useClassAction, useDelayedQuery } from './class-admin.ts';
import styles from './classes-page.module.css';

interface Filter {
  text: string;
  status: '' | 'active' | 'ended' | 'deleted';
  season: '' | (typeof semesterSeasons)[number];
  year: string;
  sort: ClassSort;
  order: 'ascending' | 'descending';
  page: number;
}

const noFilter: Filter = {
  text: '',
  status: '',
  season: '',
  year: '',
  sort: 'label',
  order: 'ascending',
  page: 0,
};

function toClassQuery({ text, status, season, year, ...rest }: Filter): ClassQuery {
  return {
    ...rest,
    ...(text.trim() && { query: text.trim() }),
    ...(status && { status }),
    ...(season && { season }),
    // The server rejects a part of a year.
    ...(/^(199|2[01]\d)\d$/.test(year.trim()) && { year: Number(year) }),
  };
}

const columns: readonly { sort: ClassSort; title: string }[] = [
  { sort: 'label', title: 'Class' },
  { sort: 'name', title: 'Name' },
  { sort: 'term', title: 'Term' },
  { sort: 'members', title: 'Members' },
];

type Dialog =
  | { kind: 'edit' | 'merge'; listedClass: ListedClass }
  | {
      kind: 'end-term' | 'reopen-term';
      choices: readonly TermChoice[];
      suggestedChoice: TermChoice;
    };

function formatEndConsequence(reopenDays: number): string {
  const limit =
    reopenDays > 0
      ? `You can reopen them for ${formatQuantity(reopenDays, 'day')}. Then no one can link their messages to accounts any more.`
      : 'No one can link their messages to accounts any more. This cannot be undone.';
  return `The classes become read-only for everyone. ${limit}`;
}

export function ClassesPage() {
  const [filter, setFilter] = useState(noFilter);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const classesQuery = useAllClasses(useDelayedQuery(toClassQuery(filter)));
  const change = (part: Partial<Filter>) => setFilter((old) => ({ ...old, page: 0, ...part }));
  const { data } = classesQuery;
  const endChoices = (data?.terms ?? []).map(toEndChoice);
  const oldestTerm = endChoices.at(-1);
  const lastEnds = (data?.endedTerms ?? []).map(toReopenChoice);
  const [lastEnd] = lastEnds;
  const pageCount = Math.ceil((data?.total ?? 0) / limits.listedClasses);
  // The page no longer exists, because the number of classes fell.
  if (pageCount > 0 && filter.page >= pageCount) change({ page: pageCount - 1 });
  const notify = useNotify();
  const exporting = useMutation({
    mutationFn: exportClasses,
    onError: (problem) => notify({ text: toErrorMessage(problem) }),
  });
  const close = () => setDialog(null);
  return (
    <>
      <TabPage label="Classes" className="stack">
        <Toolbar filter={filter} onChange={change} />
        <div className={styles.bar}>
          <p role="status" className={styles.count}>
            {data && (data.total === 1 ? '1 class' : `${formatCount(data.total)} classes`)}
          </p>
          <div className="wrap">
            <Link className={toButtonClass('quiet')} to="/admin/classes/import">
              Import CSV
            </Link>
            <Button
              aria-disabled={exporting.isPending}
              onClick={() => exporting.mutate(toClassQuery(filter))}
            >
              {exporting.isPending ? 'Exporting…' : 'Export CSV'}
            </Button>
            {oldestTerm && (
              <Button
                onClick={() =>
                  setDialog({ kind: 'end-term', choices: endChoices, suggestedChoice: oldestTerm })
                }
              >
                End a term…
              </Button>
            )}
            {lastEnd && (
              <Button
                onClick={() =>
                  setDialog({ kind: 'reopen-term', choices: lastEnds, suggestedChoice: lastEnd })
                }
              >
                Reopen a term…
              </Button>
            )}
          </div>
        </div>
        <QueryState query={classesQuery} />
        {data?.total === 0 && <EmptyState text="No class fits these filters." />}
        {data && data.total > 0 && (
          <table className={styles.table}>
            <thead>
              <tr>
                {columns.map((column) => (
                  <SortHeader key={column.sort} {...column} filter={filter} onChange={change} />
                ))}
                <th scope="col" data-column="status">
                  Status
                </th>
                <th scope="col">
                  <span className="unseen">Options</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.classes.map((listedClass) => (
                <ClassRow
                  key={listedClass.classId}
                  listedClass={listedClass}
                  reopenDays={data.reopenDays}
                  onEdit={() => setDialog({ kind: 'edit', listedClass })}
                  onMerge={() => setDialog({ kind: 'merge', listedClass })}
                />
              ))}
            </tbody>
          </table>
        )}
        {pageCount > 1 && (
          <nav className={styles.pages} aria-label="Pages">
            <Button disabled={filter.page === 0} onClick={() => change({ page: filter.page - 1 })}>
              Previous
            </Button>
            <span>
              Page {filter.page + 1} of {pageCount}
            </span>
            <Button
              disabled={filter.page + 1 >= pageCount}
              onClick={() => change({ page: filter.page + 1 })}
            >
              Next
            </Button>
          </nav>
        )}
      </TabPage>
      {dialog?.kind === 'end-term' && (
        <TermDialog
          {...dialog}
          act="end"
          consequence={formatEndConsequence(data?.reopenDays ?? 0)}
          onClose={close}
        />
      )}
      {dialog?.kind === 'reopen-term' && (
        <TermDialog
          {...dialog}
          act="reopen"
          consequence="The classes of the term that ended on the same day are as they were before their end."
          onClose={close}
        />
      )}
      {dialog?.kind === 'edit' && (
        <EditClassDialog listedClass={dialog.listedClass} onClose={close} />
      )}
      {dialog?.kind === 'merge' && <MergeDialog duplicate={dialog.listedClass} onClose={close} />}
    </>
  );
}

interface FilterProps {
  filter: Filter;
  onChange: (part: Partial<Filter>) => void;
}

function Toolbar({ filter, onChange }: FilterProps) {
  return (
    <div className={styles.toolbar} role="search" aria-label="Classes">
      <TextField
        label="Search"
        type="search"
        dir="auto"
        autoComplete="off"
        maxLength={limits.searchQuery}
        value={filter.text}
        onChange={({ target }) => onChange({ text: target.value })}
      />
      <SelectField
        label="Status"
        value={filter.status}
        onChange={({ target }) => onChange({ status: target.value as Filter['status'] })}
      >
        <option value="">All</option>
        <option value="active">Active</option>
        <option value="ended">Ended</option>
        <option value="deleted">Deleted</option>
      </SelectField>
      <SelectField
        label="Season"
        value={filter.season}
        onChange={({ target }) => onChange({ season: target.value as Filter['season'] })}
      >
        <option value="">All</option>
        {semesterSeasons.map((season) => (
          <option key={season}>{season}</option>
        ))}
      </SelectField>
      <TextField
        label="Year"
        inputMode="numeric"
        autoComplete="off"
        maxLength={4}
        value={filter.year}
        onChange={({ target }) => onChange({ year: target.value })}
      />
    </div>
  );
}

function SortHeader({
  sort,
  title,
  filter,
  onChange,
}: FilterProps & { sort: ClassSort; title: string }) {
  const isSorted = filter.sort === sort;
  const nextOrder = isSorted && filter.order === 'ascending' ? 'descending' : 'ascending';
  return (
    <th scope="col" data-column={sort} aria-sort={isSorted ? filter.order : undefined}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => onChange({ sort, order: nextOrder })}
      >
        {title}
        <span aria-hidden="true">{isSorted && (filter.order === 'ascending' ? ' ↑' : ' ↓')}</span>
      </button>
    </th>
  );
}

function describeStatus({ restorableUntil, reopenableUntil, ended }: ListedClass): string {
  if (restorableUntil !== null) return `Deleted, restorable until ${formatDay(restorableUntil)}`;
  if (reopenableUntil !== null) return `Ended, reopenable until ${formatDay(reopenableUntil)}`;
  return ended ? 'Ended' : 'Active';
}

interface RowProps {
  listedClass: ListedClass;
  reopenDays: number;
  onEdit: () => void;
  onMerge: () => void;
}

function ClassRow({ listedClass, reopenDays, onEdit, onMerge }: RowProps) {
  const { classId, ended, reopenableUntil, restorableUntil, memberCount, sectionNumber } =
    listedClass;
  const label = toClassLabel(listedClass);
  const { confirm } = useDialogs();
  const notify = useNotify();
  const action = useClassAction(classId);
  const run = async (name: ClassAction) => {
    const { question, button, outcome } =
      actionTexts[name === 'endClass' && reopenDays > 0 ? 'endForNow' : name];
    const fullQuestion = question.replace('DAYS', formatQuantity(reopenDays, 'day'));
    const needsConfirmation = name === 'endClass' || name === 'deleteClass';
    if (
      needsConfirmation &&
      !(await confirm(`${label}: ${fullQuestion}`, { label: button, danger: true }))
    ) {
      return;
    }
    action.mutate(name, {
      onSuccess: () => notify({ text: `${label} ${outcome}` }),
      onError: (error) => notify({ text: toErrorMessage(error) }),
    });
  };
  const isDeleted = restorableUntil !== null;
  const items: readonly MenuItem[] = isDeleted
    ? [{ icon: 'check', label: 'Restore', action: () => void run('restoreClass') }]
    : [
        { icon: 'edit', label: 'Edit fields', action: onEdit },
        ...(ended ? [] : [{ icon: 'share' as const, label: 'Merge into…', action: onMerge }]),
        ...(ended
          ? []
          : [{ icon: 'clock' as const, label: 'End', action: () => void run('endClass') }]),
        ...(reopenableUntil === null
          ? []
          : [{ icon: 'check' as const, label: 'Reopen', action: () => void run('reopenClass') }]),
        { icon: 'remove', label: 'Delete', danger: true, action: () => void run('deleteClass') },
      ];
  return (
    <tr>
      <th scope="row">
        {label}
        {sectionNumber && <span className={styles.meta}> Section {sectionNumber}</span>}
        <span className={styles.short}>
          <bdi>{formatClassName(listedClass)}</bdi>
          <span>
            {[formatTerm(listedClass), formatQuantity(memberCount, 'member')]
              .filter(Boolean)
              .join(', ')}
          </span>
          <span>{describeStatus(listedClass)}</span>
        </span>
      </th>
      <td data-column="name">
        <bdi>{formatClassName(listedClass)}</bdi>
      </td>
      <td data-column="term">{formatTerm(listedClass)}</td>
      <td data-column="members">{formatCount(memberCount)}</td>
      <td data-column="status">{describeStatus(listedClass)}</td>
      <td>
        <MenuButton label={`Options of ${label}`} items={items} />
      </td>
    </tr>
  );
}

const actionTexts = {
  endClass: {
    question:
      'it becomes read-only for everyone. No one can link its messages to accounts any more. This cannot be undone.',
    button: 'End class',
    outcome: 'has ended.',
  },
  endForNow: {
    question:
      'it becomes read-only for everyone. You can reopen it for DAYS. Then its links to accounts are removed: no one can find out any more who wrote its messages.',
    button: 'End class',
    outcome: 'has ended.',
  },
  reopenClass: { question: '', button: 'Reopen', outcome: 'is open again.' },
  deleteClass: {
    question:
      'it disappears for everyone. You can restore it within 30 days. Then its messages and pictures are erased.',
    button: 'Delete class',
    outcome: 'is deleted.',
  },
  restoreClass: { question: '', button: 'Restore', outcome: 'is back.' },
} as const;
