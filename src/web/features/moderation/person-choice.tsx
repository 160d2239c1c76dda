import { type Ref, useId } from 'react';
import type { GrantedRole } from '#contract/moderation.ts';
import { limits } from '#contract/limits.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { TextField } from '#web/ui/text-field.tsx';

/** An account, by its address or by a role that it has. */
type Person = { email: string } | { roleId: string };

/** The people with a role in a class, by what the list shows of them. Two roles that look alike are left out. */
export function listHolders(roles: readonly GrantedRole[]): ReadonlyMap<string, GrantedRole> {
  const groups = Map.groupBy(roles, ({ staffName, role, label }) =>
    getText('moderation.roles.holder', { name: staffName, role, className: label }),
  );
  return new Map(
    [...groups].flatMap(([text, [holder, other]]) => (holder && !other ? [[text, holder]] : [])),
  );
}

/** @returns null if the text is neither an entry of the list nor a whole address */
export function parsePerson(
  typedText: string,
  holders: ReadonlyMap<string, GrantedRole>,
): Person | null {
  const text = typedText.trim();
  const holder = holders.get(text);
  if (holder) return { roleId: holder.roleId };
  return /^\S+@\S+$/.test(text) ? { email: text } : null;
}

interface Props {
  ref: Ref<HTMLInputElement>;
  typedText: string;
  holders: ReadonlyMap<string, GrantedRole>;
  problem: string | null | undefined;
  onType: (text: string) => void;
}

/**
 * An operator types the address of an account, or chooses someone who already has a role. The list has no one else, because
 * operators must not browse accounts.
 */
export function PersonChoice({ ref, typedText, holders, problem, onType }: Props) {
  const listId = useId();
  const localPart = typedText.trim();
  const addresses = /^[^\s@,]+$/.test(localPart)
    ? site.emailDomains.map((domain) => `${localPart}@${domain}`)
    : [];
  return (
    <>
      <TextField
        ref={ref}
        label={getText('moderation.roles.person.label')}
        hint={getText('moderation.roles.person.hint')}
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        dir="auto"
        list={listId}
        maxLength={limits.email}
        value={typedText}
        problem={problem}
        onChange={({ target }) => onType(target.value)}
      />
      <datalist id={listId}>
        {[...holders.keys(), ...addresses].map((text) => (
          <option key={text}>{text}</option>
        ))}
      </datalist>
    </>
  );
}
