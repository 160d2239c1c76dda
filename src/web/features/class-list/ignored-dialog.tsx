import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class, Persona } from '#contract/entities.ts';
import { findTags } from '#contract/persona-name.ts';
import { fetchMessagesById } from '#web/data/messages-by-id.ts';
import { listMembers } from '#web/data/members.ts';
import { choosePreference } from '#web/data/preferences.ts';
import type { Choice } from '#web/data/save-preferences.ts';
import { moderationTexts, toSpokenName } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { toPlainText } from '#web/markup/message-markup.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind, PersonaName } from '#web/ui/persona-name.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useStore } from '#web/use-store.ts';
import styles from './ignored-dialog.module.css';

interface Props {
  joinedClass: Class;
  live: LiveClient;
  onClose: () => void;
}

const pageLength = 10;

/** The people whom the member ignores in a class and the hidden messages, each with a button that undoes the choice. */
export function IgnoredDialog({ joinedClass, live, onClose }: Props) {
  return (
    <Modal
      title={getText('classList.ignored.title', { className: toClassLabel(joinedClass) })}
      text={getText('classList.ignored.lead')}
      onDismiss={onClose}
    >
      <Lists classId={joinedClass.classId} live={live} />
    </Modal>
  );
}

function Lists({ classId, live }: { classId: string; live: LiveClient }): ReactNode {
  const notify = useNotify();
  const preferences = live.preferences(classId);
  const { ignored, hidden } = useStore(preferences);
  /** The entries of the opened dialog stay listed, so that the member can undo a click. */
  const [initialIds] = useState({ ignored: [...ignored], hidden: [...hidden].toReversed() });
  const [shownCount, setShownCount] = useState(pageLength);
  const memberIds = [...new Set([...initialIds.ignored, ...ignored])];
  const messageIds = [...new Set([...initialIds.hidden, ...hidden])];
  const shownIds = messageIds.slice(0, shownCount);
  const members = useQuery({
    queryKey: ['class', classId, 'members'],
    queryFn: () => listMembers(classId),
    enabled: memberIds.length > 0,
    staleTime: 0,
    gcTime: 0,
  });
  const messages = useQuery({
    queryKey: ['class', classId, 'hidden', shownIds],
    queryFn: () => fetchMessagesById(classId, shownIds),
    enabled: shownIds.length > 0,
    placeholderData: (previousData) => previousData,
    staleTime: 0,
    gcTime: 0,
  });
  const choose = (choice: Choice) =>
    void choosePreference({ classId, preferences, notify }, choice);
  if (memberIds.length + messageIds.length === 0) {
    return <p className="muted">{getText('classList.ignored.empty')}</p>;
  }
  const failedQuery = [members, messages].find(({ isError }) => isError);
  if (failedQuery) {
    return <QueryFailure query={failedQuery} />;
  }
  const personas = new Map(members.data?.personas.map((persona) => [persona.memberId, persona]));
  const tags = findTags(personas);
  const label = getText('classList.ignored');
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
    <div className={styles.lists} role="group" aria-label={label} tabIndex={0}>
      {memberIds.length > 0 && (
        <>
          <h3 className={styles.heading}>{getText('classList.ignored.people')}</h3>
          <ul>
            {memberIds.map((id) => (
              <li key={id} className={styles.entry}>
                {members.isPending ? (
                  <Skeleton width={96} />
                ) : (
                  <Name persona={personas.get(id)} tag={tags.get(id)} />
                )}
                <Button
                  aria-label={toLabel(
                    ignored.has(id),
                    toSpokenName(personas.get(id), tags.get(id)),
                  )}
                  onClick={() => choose({ list: 'ignored', id, isOn: !ignored.has(id) })}
                >
                  {ignored.has(id)
                    ? getText('classList.stopIgnoring')
                    : getText('classList.ignore')}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
      {messageIds.length > 0 && (
        <>
          <h3 className={styles.heading}>{getText('classList.ignored.messages')}</h3>
          <ul>
            {shownIds.map((id) => (
              <li key={id} className={styles.entry}>
                {messages.data ? (
                  <bdi className={styles.text}>
                    {findText(messages.data.get(id)) ?? getText('classList.ignored.deleted')}
                  </bdi>
                ) : (
                  <Skeleton width={160} />
                )}
                <Button onClick={() => choose({ list: 'hidden', id, isOn: !hidden.has(id) })}>
                  {hidden.has(id) ? getText('classList.stopHiding') : getText('classList.hide')}
                </Button>
              </li>
            ))}
          </ul>
          {messageIds.length > shownCount && (
            <Button onClick={() => setShownCount((count) => count + pageLength)}>
              {getText('common.showMore')}
            </Button>
          )}
        </>
      )}
    </div>
  );
}

function toLabel(isIgnored: boolean, name: string): string {
  return isIgnored
    ? getText('classList.stopIgnoring.person', { name })
    : getText('classList.ignore.person', { name });
}

function Name({ persona, tag }: { persona: Persona | undefined; tag: string | undefined }) {
  if (!persona) return getText('classList.ignored.unknown');
  return (
    <>
      <PersonaIcon seed={persona.icon} size={24} />
      <PersonaName persona={persona} tag={tag} />
      <PersonaKind persona={persona} />
    </>
  );
}

type Hidden =
  Awaited<ReturnType<typeof fetchMessagesById>> extends Map<string, infer Value> ? Value : never;

function findText(hiddenMessage: Hidden | undefined): string | null {
  if (!hiddenMessage) return null;
  const { message, personas } = hiddenMessage;
  if (message.moderation) return moderationTexts[message.moderation];
  const names = new Map(personas.map((persona) => [persona.memberId, persona]));
  return toPlainText(message.text, names) || getText('classList.ignored.picture');
}
