import { type ReactNode, useState } from 'react';
import { limits } from '#contract/limits.ts';
import type { AuditAction, AuditEntry } from '#contract/moderation.ts';
import { ClassChoice } from '#web/data/class-choice.tsx';
import { type AuditFilter, useAuditLog } from './moderation.ts';
import { formatMoment } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { TabPage, WaitingTabPage } from '#web/ui/tabbed-screen.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './audit-log.module.css';

const actionLabels: Record<AuditAction, string> = {
  keep: 'Kept a message or took no action',
  remove: 'Removed a message',
  mute: 'Muted a person',
  'remove-member': 'Removed a person from the class',
  lift: 'Lifted a sanction',
  'keep-sanction': 'Kept a sanction after an appeal',
  escalate: 'Escalated a person to operators',
  'dismiss-escalation': 'Took no action on an escalation',
  suspend: 'Suspended the account behind a person',
  'lift-suspension': 'Lifted a suspension',
  settings: 'Changed the settings of a class',
  'grant-operator': 'Granted the role of operator',
  'grant-moderator': 'Granted the role of moderator',
  'grant-staff': 'Let speak as staff',
  'revoke-role': 'Revoked a role',
  'end-class': 'Ended the term of a class',
  'delete-class': 'Deleted a class',
  'restore-class': 'Restored a deleted class',
  'reopen-class': 'Reopened a class that had ended',
  'import-class': 'Created a class by import',
  'import-classes': 'Imported classes',
  'merge-class': 'Merged a duplicate of a class',
  'edit-class': 'Changed the fields of a class',
  announce: 'Made an announcement',
  'withdraw-announcement': 'Withdrew an announcement',
  'find-account': 'Searched for an account by its address',
  'end-sessions': 'Signed an account out on all devices',
  'resend-verification': 'Sent an account a new link to verify its address',
  'send-reset-link': 'Sent an account a link to set a password',
  'export-account': 'Saved what operators see of an account',
  'delete-account': 'Deleted an account',
  'block-address': 'Blocked an address',
  'unblock-address': 'Took the block of an address back',
  'correct-address': 'Corrected the address of an account',
  'rename-domain': 'Renamed a domain in all addresses',
  'new-key': 'Changed the server key',
  'unmasking-on': 'Switched unmasking on',
  'unmasking-off': 'Switched unmasking off',
  'unmask-request': 'Requested to unmask a person',
  'unmask-confirm': 'Confirmed the request and saw the address',
  'unmask-impossible': 'Confirmed the request, but found no account',
  'unmask-withdraw': 'Withdrew a request to unmask',
  'unmask-password': 'Entered a wrong password to unmask',
};

const auditActions = Object.keys(actionLabels) as AuditAction[];

const skeleton = (
  <div className="stack start">
    <Skeleton width={220} />
    <Skeleton width="80%" />
  </div>
);

/** The names of settings and of fields of a class, as entries list them. */
const changedNames: Readonly<Record<string, string>> = {
  slowModeSeconds: 'slow mode',
  readOnly: 'read-only',
  picturesOff: 'pictures and PDFs off',
  pins: 'pinned messages',
  quietTimes: 'quiet times',
  lectureStart: 'start of a lecture',
  lectureEnd: 'end of a lecture',
  lecturePlan: "lectures start at the class's time",
  lectureNoPlan: 'staff start the lectures',
  lectureHold: 'questions of a lecture wait for release',
  lectureNoHold: 'questions of a lecture appear immediately',
  courseName: 'course name',
  subjectAbbreviation: 'subject abbreviation',
  courseNumber: 'course number',
  sectionNumber: 'section number',
  semesterSeason: 'semester season',
  classSchedule: 'days',
  beginClassTime: 'begin time',
  endClassTime: 'end time',
};

function formatReason({ act, reason }: Pick<AuditEntry, 'act' | 'reason'>): string {
  if (act !== 'settings' && act !== 'edit-class') return reason;
  return reason
    .split(', ')
    .map((name) => changedNames[name] ?? name)
    .join(', ');
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
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <TabPage label="Entries" className="stack start">
      <p className={styles.note}>
        Entries cannot be changed. Each hash covers the entry and the hash before it; the command{' '}
        <code>npm run admin -- verify-audit</code> checks them all.
      </p>
      <Filter filter={filter} onChange={setFilter} />
      {entries.length === 0 && (
        <EmptyState text={isFiltered ? 'No entry fits these filters.' : 'No entries yet.'} />
      )}
      <ol className={styles.entries} aria-label="Audit log">
        {entries.map((entry) => (
          <Entry key={entry.number} entry={entry} />
        ))}
      </ol>
      {log.hasNextPage && (
        <Button aria-disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {log.isFetchingNextPage ? 'Loading…' : 'Show older entries'}
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
      aria-label="Entries"
      className={styles.filter}
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ ...filter, staffName: name.trim() || undefined });
      }}
    >
      <SelectField
        label="Action"
        value={filter.act ?? ''}
        onChange={({ target }) =>
          onChange({ ...filter, act: auditActions.find((act) => act === target.value) })
        }
      >
        <option value="">All</option>
        {auditActions.map((act) => (
          <option key={act} value={act}>
            {actionLabels[act]}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Name"
        hint="The whole name, then Enter."
        autoComplete="off"
        dir="auto"
        maxLength={limits.staffName}
        value={name}
        onChange={({ target }) => setName(target.value)}
        onBlur={() => onChange({ ...filter, staffName: name.trim() || undefined })}
      />
      <ClassChoice
        emptyLabel="All"
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
          <strong>{actionLabels[act]}</strong>
          {label !== null && (
            <>
              {' '}
              in <bdi>{label}</bdi>
            </>
          )}
          <span className={styles.meta}>
            {' '}
            <bdi>{staffName || 'Command line'}</bdi>,{' '}
            <time dateTime={new Date(at).toISOString()}>{formatMoment(at)}</time>
          </span>
        </p>
        {reason && (
          <p className={styles.reason} dir="auto">
            {reason}
          </p>
        )}
        {caseId !== null && <Link to={`/moderation/${caseId}`}>Show the case</Link>}
        <details className={styles.meta}>
          <summary aria-label={`Ids of entry ${number}`}>Ids</summary>
          <dl className={styles.ids}>
            <Id name="Class" value={classId} />
            <Id name="Persona" value={memberId} />
            <Id name="Case" value={caseId} />
            <Id name="Hash" value={hash} />
          </dl>
        </details>
      </div>
    </li>
  );
}

function Id({ name, value }: { name: string; value: string | null }) {
  if (value === null) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
