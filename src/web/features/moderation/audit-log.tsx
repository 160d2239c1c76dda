import { type ReactNode, useState } from 'react';
import { limits } from '#contract/limits.ts';
import type { AuditAction, AuditEntry } from '#contract/moderation.ts';
import { compareText } from '#contract/text-order.ts';
import { ClassChoice } from '#web/data/class-choice.tsx';
import { type AuditFilter, useAuditLog } from './moderation.ts';
import { formatList, formatMoment } from '#web/format.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText, getTexts } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { TabPage, WaitingTabPage } from '#web/ui/tabbed-screen.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './audit-log.module.css';

const actionLabels: Record<AuditAction, string> = getTexts('moderation.action');

const auditActions = (Object.keys(actionLabels) as AuditAction[]).toSorted((a, b) =>
  compareText(actionLabels[a], actionLabels[b]),
);

const skeleton = (
  <div className="stack start">
    <Skeleton width={220} />
    <Skeleton width="80%" />
  </div>
);

/** The names of settings and of fields of a class, as entries list them. */
const changedNames: Readonly<Record<string, string>> = getTexts('moderation.changed');

function formatReason({ act, reason }: Pick<AuditEntry, 'act' | 'reason'>): string {
  if (act !== 'settings' && act !== 'edit-class') return reason;
  return formatList(reason.split(', ').map((name) => changedNames[name] ?? name));
}

/** Every action of moderators and operators, newest first. Only operators see it. */
export function AuditLog(): ReactNode {
  const [filter, setFilter] = useState<AuditFilter>({});
  const log = useAuditLog(filter);
  const entries = log.data?.pages.flatMap((page) => page.entries);
  if (!entries) {
    return (
      <WaitingTabPage>
        <QueryState query={log} skeleton={skeleton} />
      </WaitingTabPage>
    );
  }
  const emptyText = Object.values(filter).some((value) => value !== undefined)
    ? getText('moderation.audit.emptyFiltered')
    : getText('moderation.audit.empty');
  return (
    <TabPage label={getText('moderation.audit.entries')} className="stack start">
      <p className={styles.note}>
        {getRichText('moderation.audit.note', {
          command: 'npm run admin -- verify-audit',
          code: <code dir="ltr" />,
        })}
      </p>
      <Filter filter={filter} onChange={setFilter} />
      {entries.length === 0 && <EmptyState text={emptyText} />}
      <ol className={styles.entries} aria-label={getText('moderation.audit.title')}>
        {entries.map((entry) => (
          <Entry key={entry.number} entry={entry} />
        ))}
      </ol>
      {log.hasNextPage && (
        <Button aria-disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {log.isFetchingNextPage ? getText('moderation.loading') : getText('moderation.showOlder')}
        </Button>
      )}
    </TabPage>
  );
}

interface FilterProps {
  filter: AuditFilter;
  onChange: (filter: AuditFilter) => void;
}

function Filter({ filter, onChange }: FilterProps) {
  const [name, setName] = useState('');
  return (
    <form
      role="search"
      aria-label={getText('moderation.audit.entries')}
      className={styles.filter}
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ ...filter, staffName: name.trim() || undefined });
      }}
    >
      <SelectField
        label={getText('moderation.audit.action')}
        value={filter.act ?? ''}
        onChange={({ target }) =>
          onChange({ ...filter, act: auditActions.find((act) => act === target.value) })
        }
      >
        <option value="">{getText('moderation.audit.allActions')}</option>
        {auditActions.map((act) => (
          <option key={act} value={act}>
            {actionLabels[act]}
          </option>
        ))}
      </SelectField>
      <TextField
        label={getText('moderation.audit.name.label')}
        hint={getText('moderation.audit.name.hint')}
        autoComplete="off"
        dir="auto"
        maxLength={limits.staffName}
        value={name}
        onChange={({ target }) => setName(target.value)}
        onBlur={() => onChange({ ...filter, staffName: name.trim() || undefined })}
      />
      <ClassChoice
        emptyLabel={getText('moderation.audit.allClasses')}
        classId={filter.classId ?? null}
        onChoose={(classId) => onChange({ ...filter, classId: classId ?? undefined })}
      />
    </form>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { number, at, staffName, act, classId, label, memberId, caseId, hash } = entry;
  const reason = formatReason(entry);
  return (
    <li className={styles.entry}>
      <span className={styles.number}>{number}</span>
      <div className={styles.what}>
        <p>
          {label === null ? (
            <strong>{actionLabels[act]}</strong>
          ) : (
            getRichText('moderation.audit.actionInClass', {
              b: <strong />,
              action: actionLabels[act],
              bdi: <bdi />,
              className: label,
            })
          )}
          <span className={styles.meta}>
            {' '}
            <bdi>{staffName || getText('moderation.audit.commandLine')}</bdi>
            {getText('format.comma')}
            <time dateTime={new Date(at).toISOString()}>{formatMoment(at)}</time>
          </span>
        </p>
        {reason && (
          <p className={styles.reason} dir="auto">
            {reason}
          </p>
        )}
        {caseId !== null && (
          <Link to={`/moderation/${caseId}`}>{getText('moderation.audit.showCase')}</Link>
        )}
        <details className={styles.meta}>
          <summary aria-label={getText('moderation.audit.idsOfEntry', { number: String(number) })}>
            {getText('moderation.audit.ids')}
          </summary>
          <dl className={styles.ids}>
            <Id label={getText('moderation.audit.class')} value={classId} />
            <Id label={getText('moderation.audit.persona')} value={memberId} />
            <Id label={getText('moderation.audit.case')} value={caseId} />
            <Id label={getText('moderation.audit.hash')} value={hash} />
          </dl>
        </details>
      </div>
    </li>
  );
}

function Id({ label, value }: { label: string; value: string | null }) {
  if (value === null) return null;
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
