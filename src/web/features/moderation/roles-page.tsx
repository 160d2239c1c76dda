import { type SubmitEvent, useRef, useState } from 'react';
import type { GrantedRole } from '#contract/moderation.ts';
import { toErrorMessage } from '#web/api.ts';
import { ClassChoice } from '#web/data/class-choice.tsx';
import { useCall, useCommand } from '#web/data/use-call.ts';
import { listHolders, parsePerson, PersonChoice, roleLabels } from './person-choice.tsx';
import { moderationCalls } from './moderation.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import { useWrongFieldFocus } from '#web/ui/use-wrong-field-focus.ts';
import styles from './roles-page.module.css';

const emptyFields = {
  person: '',
  classId: null as string | null,
  role: 'moderator' as GrantedRole['role'],
  staffName: '',
};

/** Operators grant and revoke the roles of moderators and staff. No address comes from the server. */
export function RolesPage() {
  return (
    <TabPage label="Roles" className={styles.column}>
      <GrantForm />
      <Roles />
    </TabPage>
  );
}

function GrantForm() {
  const notify = useNotify();
  const granting = useCommand('grantRole', { refreshes: moderationCalls });
  const { data } = useCall('listGrantedRoles', {});
  const holders = listHolders(data?.roles ?? []);
  const firstField = useRef<HTMLInputElement>(null);
  const [fields, setFields] = useState(emptyFields);
  const [error, setError] = useState<string | null>(null);
  /** The last attempt was rejected: wrong fields are marked until they are corrected. */
  const [isRejected, setIsRejected] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const focusWrongField = useWrongFieldFocus(form, granting.isPending);
  const change = (part: Partial<typeof emptyFields>) => {
    setFields({ ...fields, ...part });
    setError(null);
  };
  const person = parsePerson(fields.person, holders);
  const problems = {
    person:
      person === null
        ? 'Please enter the whole email address, or choose a person from the list.'
        : null,
    classId: fields.classId === null ? 'Please choose a class.' : null,
    staffName: fields.staffName.trim() ? null : 'Please enter a name.',
  };
  const shownProblems: Partial<typeof problems> = isRejected ? problems : {};
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (granting.isPending) return;
    const { classId, role, staffName } = fields;
    const hasProblem = Object.values(problems).some(Boolean);
    setIsRejected(hasProblem);
    focusWrongField();
    if (hasProblem || person === null || classId === null) return;
    granting.mutate(
      { body: { ...person, classId, role, staffName } },
      {
        onSuccess() {
          notify({ text: `${roleLabels[role]}: ${staffName.trim()}` });
          setFields({ ...emptyFields, classId, role });
          firstField.current?.focus();
        },
        onError: (failure) => setError(toErrorMessage(failure)),
      },
    );
  };
  return (
    <form ref={form} className={styles.form} onSubmit={submit} noValidate aria-label="Grant a role">
      <h2>Grant a role</h2>
      <SelectField
        label="Role"
        value={fields.role}
        onChange={({ target }) => change({ role: target.value as GrantedRole['role'] })}
      >
        <option value="moderator">Moderator</option>
        <option value="staff">Staff</option>
      </SelectField>
      <PersonChoice
        ref={firstField}
        typedText={fields.person}
        holders={holders}
        problem={shownProblems.person}
        onType={(text) => {
          const knownName = holders.get(text)?.staffName ?? '';
          change({ person: text, staffName: fields.staffName || knownName });
        }}
      />
      <ClassChoice
        classId={fields.classId}
        problem={shownProblems.classId}
        onChoose={(classId) => change({ classId })}
      />
      <TextField
        label="Name"
        hint={
          fields.role === 'staff'
            ? 'The class sees it with a badge, for example ‘Prof. Lee’.'
            : 'Moderators decide about reports. Only the audit log and other moderators show the name.'
        }
        autoComplete="off"
        dir="auto"
        value={fields.staffName}
        problem={shownProblems.staffName}
        onChange={({ target }) => change({ staffName: target.value })}
      />
      <Callout kind="error">{error}</Callout>
      <Button type="submit" variant="primary" aria-disabled={granting.isPending}>
        {granting.isPending ? 'Saving…' : 'Grant role'}
      </Button>
    </form>
  );
}

function Roles() {
  const granted = useCall('listGrantedRoles', {});
  const revoking = useCommand('revokeRole', { refreshes: moderationCalls });
  const { confirm } = useDialogs();
  const notify = useNotify();
  const heading = useRef<HTMLHeadingElement>(null);
  const revoke = async ({ roleId, role, staffName, label }: GrantedRole) => {
    const question =
      role === 'staff'
        ? `${staffName} can then no longer speak as staff in ${label}. Earlier messages keep name and badge.`
        : `${staffName} can then no longer moderate ${label}.`;
    if (!(await confirm(question, { label: 'Revoke role', danger: true }))) return;
    revoking.mutate(
      { params: { roleId } },
      {
        onSuccess() {
          notify({ text: 'The role was revoked.' });
          heading.current?.focus();
        },
        onError: (error) => notify({ text: toErrorMessage(error) }),
      },
    );
  };
  const { roles, operators = [] } = granted.data ?? {};
  return (
    <section className="stack-s" aria-labelledby="granted-roles">
      <h2 id="granted-roles" ref={heading} tabIndex={-1}>
        Granted roles
      </h2>
      {!roles && <QueryState query={granted} />}
      {operators.length > 0 && (
        <ul className="divided" aria-label="Operators">
          {operators.map(({ staffName, isConfigured }, index) => (
            <li key={index} className={styles.row}>
              <p>
                <strong>
                  <bdi>{staffName}</bdi>
                </strong>
                <span className="meta">
                  Operator of all classes,{' '}
                  {isConfigured ? 'named by the setting OPERATORS' : 'granted by command'}
                </span>
              </p>
            </li>
          ))}
        </ul>
      )}
      {roles?.length === 0 && <EmptyState text="No roles yet." />}
      {roles && roles.length > 0 && (
        <ul className="divided" aria-label="Granted roles">
          {roles.map((grantedRole) => (
            <li key={grantedRole.roleId} className={styles.row}>
              <p>
                <strong>
                  <bdi>{grantedRole.staffName}</bdi>
                </strong>
                <span className="meta">
                  {roleLabels[grantedRole.role]} in {grantedRole.label}
                </span>
              </p>
              <Button
                aria-label={`Revoke the role of ${grantedRole.staffName} in ${grantedRole.label}`}
                onClick={() => void revoke(grantedRole)}
              >
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
