// Administration of classes (/admin/classes): operators search all classes, edit, end, reopen, merge and delete
// them, end a whole term, and import a registrar's CSV file (`import-page.tsx`). The list has the year, which
// students never see. It has no day of creation, because the creator of a class joined on that day.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ClassSort, ListedClass } from '#contract/class-admin.ts';
import { semesterSeasons } from '#contract/class-fields.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { type ClassQuery, useAllClasses } from '#web/data/admin.ts';
import { formatClassName, formatTerm } from '#web/data/class-details.ts';
import { formatDay } from '#web/format.ts';
import { formatNumber, getText } from '#web/get-text.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { type Dialogs, useDialogs } from '#web/ui/dialogs.tsx';
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
import {
  type ClassAction,
  formatTermAndMembers,
  useClassAction,
  useDelayedQuery,
} from './class-admin.ts';
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
  { sort: 'label', title: getText('classAdmin.column.class') },
  { sort: 'name', title: getText('classAdmin.column.name') },
  { sort: 'term', title: getText('classAdmin.column.term') },
  { sort: 'members', title: getText('classAdmin.column.members') },
];

type Dialog =
  | { kind: 'edit' | 'merge'; listedClass: ListedClass }
  | {
      kind: 'end' | 'reopen';
      choices: readonly TermChoice[];
      suggestedChoice: TermChoice;
    };

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
      <TabPage label={getText('classAdmin.list.title')} className="stack">
        <Toolbar filter={filter} onChange={change} />
        <div className={styles.bar}>
          <p role="status" className={styles.count}>
            {data && getText('classAdmin.list.count', { count: data.total })}
          </p>
          <div className="wrap">
            <Link className={toButtonClass('quiet')} to="/admin/classes/import">
              {getText('classAdmin.import')}
            </Link>
            <Button
              aria-disabled={exporting.isPending}
              onClick={() => exporting.mutate(toClassQuery(filter))}
            >
              {exporting.isPending ? getText('classAdmin.exporting') : getText('classAdmin.export')}
            </Button>
            {oldestTerm && (
              <Button
                onClick={() =>
                  setDialog({ kind: 'end', choices: endChoices, suggestedChoice: oldestTerm })
                }
              >
                {getText('classAdmin.list.endTerm')}
              </Button>
            )}
            {lastEnd && (
              <Button
                onClick={() =>
                  setDialog({ kind: 'reopen', choices: lastEnds, suggestedChoice: lastEnd })
                }
              >
                {getText('classAdmin.list.reopenTerm')}
              </Button>
            )}
          </div>
        </div>
        <QueryState query={classesQuery} />
        {data?.total === 0 && <EmptyState text={getText('classAdmin.list.empty')} />}
        {data && data.total > 0 && (
          <table className={styles.table}>
            <thead>
              <tr>
                {columns.map((column) => (
                  <SortHeader key={column.sort} {...column} filter={filter} onChange={change} />
                ))}
                <th scope="col" data-column="status">
                  {getText('classAdmin.column.status')}
                </th>
                <th scope="col">
                  <span className="unseen">{getText('classAdmin.column.options')}</span>
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
          <nav className={styles.pages} aria-label={getText('classAdmin.pages.label')}>
            <Button disabled={filter.page === 0} onClick={() => change({ page: filter.page - 1 })}>
              {getText('classAdmin.pages.previous')}
            </Button>
            <span>
              {getText('classAdmin.pages.place', { page: filter.page + 1, count: pageCount })}
            </span>
            <Button
              disabled={filter.page + 1 >= pageCount}
              onClick={() => change({ page: filter.page + 1 })}
            >
              {getText('classAdmin.pages.next')}
            </Button>
          </nav>
        )}
      </TabPage>
      {(dialog?.kind === 'end' || dialog?.kind === 'reopen') && (
        <TermDialog
          {...dialog}
          act={dialog.kind}
          consequence={
            dialog.kind === 'end'
              ? getText('classAdmin.term.ends', { days: data?.reopenDays ?? 0 })
              : getText('classAdmin.term.reopens')
          }
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
    <div className={styles.toolbar} role="search" aria-label={getText('classAdmin.filter.label')}>
      <TextField
        label={getText('classAdmin.filter.search')}
        type="search"
        dir="auto"
        autoComplete="off"
        maxLength={limits.searchQuery}
        value={filter.text}
        onChange={({ target }) => onChange({ text: target.value })}
      />
      <SelectField
        label={getText('classAdmin.filter.status')}
        value={filter.status}
        onChange={({ target }) => onChange({ status: target.value as Filter['status'] })}
      >
        <option value="">{getText('classAdmin.filter.allStatuses')}</option>
        <option value="active">{getText('classAdmin.filter.active')}</option>
        <option value="ended">{getText('classAdmin.filter.ended')}</option>
        <option value="deleted">{getText('classAdmin.filter.deleted')}</option>
      </SelectField>
      <SelectField
        label={getText('classAdmin.filter.season')}
        value={filter.season}
        onChange={({ target }) => onChange({ season: target.value as Filter['season'] })}
      >
        <option value="">{getText('classAdmin.filter.allSeasons')}</option>
        {semesterSeasons.map((season) => (
          <option key={season}>{season}</option>
        ))}
      </SelectField>
      <TextField
        label={getText('classAdmin.filter.year')}
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
  if (restorableUntil !== null) {
    return getText('classAdmin.status.restorable', { day: formatDay(restorableUntil) });
  }
  if (reopenableUntil !== null) {
    return getText('classAdmin.status.reopenable', { day: formatDay(reopenableUntil) });
  }
  return ended ? getText('classAdmin.status.ended') : getText('classAdmin.status.active');
}

interface RowProps {
  listedClass: ListedClass;
  reopenDays: number;
  onEdit: () => void;
  onMerge: () => void;
}

function ClassRow({ listedClass, reopenDays, onEdit, onMerge }: RowProps) {
  const { classId, ended, reopenableUntil, restorableUntil, memberCount } = listedClass;
  const section = listedClass.sectionNumber;
  const label = toClassLabel(listedClass);
  const { confirm } = useDialogs();
  const notify = useNotify();
  const action = useClassAction(classId);
  const run = async (name: ClassAction) => {
    const question = toQuestion(name, label, reopenDays);
    if (question && !(await confirm(...question))) return;
    action.mutate(name, {
      onSuccess: () =>
        notify({ text: getText('classAdmin.row.done', { action: name, className: label }) }),
      onError: (error) => notify({ text: toErrorMessage(error) }),
    });
  };
  const toItem = (icon: MenuItem['icon'], itemLabel: string, name: ClassAction) => ({
    icon,
    label: itemLabel,
    danger: name === 'deleteClass',
    action: () => void run(name),
  });
  const isDeleted = restorableUntil !== null;
  const mergeLabel = getText('classAdmin.menu.merge');
  const items: readonly MenuItem[] = isDeleted
    ? [toItem('check', getText('classAdmin.menu.restore'), 'restoreClass')]
    : [
        { icon: 'edit', label: getText('classAdmin.menu.edit'), action: onEdit },
        ...(ended ? [] : [{ icon: 'share' as const, label: mergeLabel, action: onMerge }]),
        ...(ended ? [] : [toItem('clock', getText('classAdmin.menu.end'), 'endClass')]),
        ...(reopenableUntil === null
          ? []
          : [toItem('check', getText('classAdmin.menu.reopen'), 'reopenClass')]),
        toItem('remove', getText('common.delete'), 'deleteClass'),
      ];
  return (
    <tr>
      <th scope="row">
        {label}{' '}
        {section && (
          <span className={styles.meta}>{getText('classAdmin.section', { section })}</span>
        )}
        <span className={styles.short}>
          <bdi>{formatClassName(listedClass)}</bdi>
          <span>{formatTermAndMembers(listedClass)}</span>
          <span>{describeStatus(listedClass)}</span>
        </span>
      </th>
      <td data-column="name">
        <bdi>{formatClassName(listedClass)}</bdi>
      </td>
      <td data-column="term">{formatTerm(listedClass)}</td>
      <td data-column="members">{formatNumber(memberCount)}</td>
      <td data-column="status">{describeStatus(listedClass)}</td>
      <td>
        <MenuButton label={getText('classAdmin.menu.label', { className: label })} items={items} />
      </td>
    </tr>
  );
}

/** @returns null if the action needs no confirmation */
function toQuestion(
  action: ClassAction,
  className: string,
  days: number,
): Parameters<Dialogs['confirm']> | null {
  if (action === 'endClass') {
    const label = getText('classAdmin.end.submit');
    return [getText('classAdmin.end.confirm', { className, days }), { label, danger: true }];
  }
  if (action === 'deleteClass') {
    const label = getText('classAdmin.delete.submit');
    return [getText('classAdmin.delete.confirm', { className }), { label, danger: true }];
  }
  return null;
}
