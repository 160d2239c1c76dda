import { useRef } from 'react';
import type { GrantedRole } from '#contract/moderation.ts';
import { ClassChoice } from '#web/data/class-choice.tsx';
import { useCall, useCommand, useNoticedCommand } from '#web/data/use-call.ts';
import { listHolders, parsePerson, PersonChoice, roleLabels } from './person-choice.tsx';
import { moderationCalls } from './moderation.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Form, useForm } from '#web/ui/form.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
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
  const form = useForm({
    fields: emptyFields,
    command: granting,
    findProblems: ({ person, classId, staffName }) => ({
      person:
        parsePerson(person, holders) === null
          ? 'Please enter the whole email address, or choose a person from the list.'
          : null,
      classId: classId === null ? 'Please choose a class.' : null,
      staffName: staffName.trim() ? null : 'Please enter a name.',
    }),
    onSubmit({ person: typedPerson, classId, role, staffName }) {
      const person = parsePerson(typedPerson, holders);
      if (person === null || classId === null) return;
      granting.mutate(
        { body: { ...person, classId, role, staffName } },
        {
          onSuccess() {
            notify({ text: `${roleLabels[role]}: ${staffName.trim()}` });
            form.change({ ...emptyFields, classId, role });
            firstField.current?.focus();
          },
        },
      );
    },
  });
  const { fields, problems } = form;
  return (
    <Form form={form} className={styles.form} aria-label="Grant a role">
      <h2>Grant a role</h2>
      <SelectField label="Role" {...form.bind('role')}>
        <option value="moderator">Moderator</option>
        <option value="staff">Staff</option>
      </SelectField>
      <PersonChoice
        ref={firstField}
        typedText={fields.person}
        holders={holders}
        problem={problems.person}
        onType={(text) => {
          const knownName = holders.get(text)?.staffName ?? '';
          form.change({ person: text, staffName: fields.staffName || knownName });
        }}
      />
      <ClassChoice
        classId={fields.classId}
        problem={problems.classId}
        onChoose={(classId) => form.change({ classId })}
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
        {...form.bind('staffName')}
      />
      <Callout kind="error">{form.error}</Callout>
      <Button type="submit" variant="primary" aria-disabled={form.isPending}>
        {form.isPending ? 'Saving…' : 'Grant role'}
      </Button>
    </Form>
  );
}

function Roles() {
  const granted = useCall('listGrantedRoles', {});
  const { confirm } = useDialogs();
  const notify = useNotify();
  const heading = useRef<HTMLHeadingElement>(null);
  const revoking = useNoticedCommand('revokeRole', {
    refreshes: moderationCalls,
    onSuccess() {
      notify({ text: 'The role was revoked.' });
      heading.current?.focus();
    },
  });
  const revoke = async ({ roleId, role, staffName, label }: GrantedRole) => {
    const question =
      role === 'staff'
        ? `${staffName} can then no longer speak as staff in ${label}. Earlier messages keep name and badge.`
        : `${staffName} can then no longer moderate ${label}.`;
    if (!(await confirm(question, { label: 'Revoke role', danger: true }))) return;
    revoking.mutate({ params: { roleId } });
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
