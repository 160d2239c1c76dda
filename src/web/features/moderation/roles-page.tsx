import { useRef } from 'react';
import type { GrantedRole } from '#contract/moderation.ts';
import { ClassChoice } from '#web/data/class-choice.tsx';
import { Proposals } from '#web/data/proposals.tsx';
import { useCall, useCommand, useNoticedCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import { listHolders, parsePerson, PersonChoice } from './person-choice.tsx';
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
    <TabPage label={getText('moderation.roles.tab')} className={styles.column}>
      <Proposals />
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
        parsePerson(person, holders) === null ? getText('moderation.roles.person.missing') : null,
      classId: classId === null ? getText('moderation.roles.classMissing') : null,
      staffName: staffName.trim() ? null : getText('moderation.roles.name.missing'),
    }),
    onSubmit({ person: typedPerson, classId, role, staffName }) {
      const person = parsePerson(typedPerson, holders);
      if (person === null || classId === null) return;
      granting.mutate(
        { body: { ...person, classId, role, staffName } },
        {
          onSuccess() {
            notify({ text: getText('moderation.granted', { role, name: staffName.trim() }) });
            form.change({ ...emptyFields, classId, role });
            firstField.current?.focus();
          },
        },
      );
    },
  });
  const { fields, problems } = form;
  return (
    <Form form={form} className={styles.form} aria-label={getText('moderation.roles.grant.title')}>
      <h2>{getText('moderation.roles.grant.title')}</h2>
      <SelectField label={getText('moderation.roles.role')} {...form.bind('role')}>
        <option value="moderator">{getText('moderation.roles.moderator')}</option>
        <option value="staff">{getText('moderation.roles.staff')}</option>
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
        label={getText('moderation.roles.name.label')}
        hint={
          fields.role === 'staff'
            ? getText('moderation.roles.name.staffHint')
            : getText('moderation.roles.name.moderatorHint')
        }
        autoComplete="off"
        dir="auto"
        {...form.bind('staffName')}
      />
      <Callout kind="error">{form.error}</Callout>
      <Button type="submit" variant="primary" aria-disabled={form.isPending}>
        {form.isPending ? getText('common.saving') : getText('moderation.roles.grant.submit')}
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
      notify({ text: getText('moderation.roles.revoked') });
      heading.current?.focus();
    },
  });
  const revoke = async ({ roleId, role, staffName, label }: GrantedRole) => {
    const question =
      role === 'staff'
        ? getText('moderation.roles.revokeStaff', { name: staffName, className: label })
        : getText('moderation.roles.revokeModerator', { name: staffName, className: label });
    if (!(await confirm(question, { label: getText('moderation.revoke'), danger: true }))) return;
    revoking.mutate({ params: { roleId } });
  };
  const { roles, operators = [] } = granted.data ?? {};
  return (
    <section className="stack-s" aria-labelledby="granted-roles">
      <h2 id="granted-roles" ref={heading} tabIndex={-1}>
        {getText('moderation.roles.title')}
      </h2>
      {!roles && <QueryState query={granted} />}
      {operators.length > 0 && (
        <ul className="divided" aria-label={getText('moderation.roles.operators')}>
          {operators.map(({ staffName, isConfigured }, index) => (
            <li key={index} className={styles.row}>
              <p>
                <strong>
                  <bdi>{staffName}</bdi>
                </strong>
                <span className="meta">
                  {isConfigured
                    ? getText('moderation.roles.configuredOperator')
                    : getText('moderation.roles.grantedOperator')}
                </span>
              </p>
            </li>
          ))}
        </ul>
      )}
      {roles?.length === 0 && <EmptyState text={getText('moderation.roles.empty')} />}
      {roles && roles.length > 0 && (
        <ul className="divided" aria-label={getText('moderation.roles.title')}>
          {roles.map((grantedRole) => (
            <li key={grantedRole.roleId} className={styles.row}>
              <p>
                <strong>
                  <bdi>{grantedRole.staffName}</bdi>
                </strong>
                <span className="meta">
                  {getText('moderation.roles.roleInClass', {
                    role: grantedRole.role,
                    className: grantedRole.label,
                  })}
                </span>
              </p>
              <Button
                aria-label={getText('moderation.roles.revokeOf', {
                  name: grantedRole.staffName,
                  className: grantedRole.label,
                })}
                onClick={() => void revoke(grantedRole)}
              >
                {getText('moderation.roles.revoke')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
