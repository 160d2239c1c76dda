import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useId, useRef, useState } from 'react';
import type { Message, Persona } from '#contract/entities.ts';
import { getShownName } from '#contract/persona-name.ts';
import { toClassSettingsKey, useClassSettings } from '#web/data/class-settings.ts';
import { moderationTexts } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { StaffBadge } from '#web/ui/staff-badge.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useDismiss } from '#web/ui/use-dismiss.ts';
import { useEscape } from '#web/ui/use-escape.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { toCollapsedLabel, findCollapseReason } from '../messages/message-rows.ts';
import { summarizeMessage } from '../messages/message-summary.ts';
import { useOpenMessage } from '../messages/use-open-message.ts';
import styles from './pin-bar.module.css';

interface Props {
  classId: string;
  room: Room;
  view: RoomView;
}

/** A quiet line over the messages that opens the list of pinned messages. */
export function PinBar({ classId, room, view }: Props) {
  const id = useId();
  const bar = useRef<HTMLElement>(null);
  const toggleButton = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const client = useQueryClient();
  const { pins } = view.settings;
  const settingsQuery = useClassSettings(classId, view.settings);
  useEffect(
    () =>
      room.onMessageChanged((change) => {
        if (change.kind === 'question' || change.kind === 'posted') return;
        if (change.kind === 'resumed') return;
        if (change.kind === 'unknown' || pins.includes(change.messageId)) {
          void client.invalidateQueries({ queryKey: toClassSettingsKey(classId) });
        }
      }),
    [room, client, classId, pins],
  );
  const close = useCallback(() => setIsOpen(false), []);
  useDismiss(bar, isOpen, close);
  useEscape(isOpen, () => {
    close();
    toggleButton.current?.focus();
  });
  const { openMessage } = useOpenMessage(room);

  const { messages: pinnedMessages = [], personas: pinnedPersonas = [] } = settingsQuery.data ?? {};
  const messages = pins.flatMap(
    (pin) => pinnedMessages.find((message) => message.id === pin) ?? [],
  );
  const personas = new Map<string, Persona>([
    ...pinnedPersonas.map((persona) => [persona.memberId, persona] as const),
    // The room's personas are newer.
    ...view.personas,
  ]);
  const isCollapsed = (message: Message) => findCollapseReason(message, view.preferences) !== null;
  const toSummary = (message: Message) => {
    const reason = findCollapseReason(message, view.preferences);
    if (reason !== null) return toCollapsedLabel({ reason, ids: [message.id] });
    if (message.moderation === 'hidden') return moderationTexts.hidden;
    return summarizeMessage({ ...message, unsentPictures: [] }, personas);
  };
  const [firstMessage] = messages;
  return (
    <section ref={bar} className={styles.bar} aria-label={getText('chat.pins.title')}>
      <button
        ref={toggleButton}
        type="button"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="pin" size={16} />
        <VisuallyHidden>
          {getText('chat.pins.count', { count: pins.length })}
          {': '}
        </VisuallyHidden>
        <bdi className={styles.line}>
          {firstMessage && !isOpen ? toSummary(firstMessage) : getText('chat.pins.title')}
        </bdi>
        {pins.length > 1 && (
          <span className={styles.count} aria-hidden="true">
            {pins.length}
          </span>
        )}
        <span className={styles.chevron} data-open={isOpen || undefined}>
          <Icon name="chevron" size={16} />
        </span>
      </button>
      {isOpen && (
        <div id={`${id}-list`} className={styles.list}>
          {!settingsQuery.data && settingsQuery.isError && (
            <QueryFailure className={styles.failed} query={settingsQuery} />
          )}
          {!settingsQuery.data && settingsQuery.isPending && (
            <div
              className={styles.waiting}
              role="status"
              aria-label={getText('common.loadingStatus')}
            >
              {pins.map((pin) => (
                <Skeleton key={pin} width="60%" />
              ))}
            </div>
          )}
          <ol>
            {messages.map((message) => {
              const persona = personas.get(message.memberId);
              return (
                <li key={message.id}>
                  <button
                    type="button"
                    className={styles.item}
                    onClick={() => {
                      close();
                      void openMessage(message.id);
                    }}
                  >
                    {!isCollapsed(message) && (
                      <PersonaIcon seed={persona?.icon ?? message.memberId} size={24} />
                    )}
                    <span className={styles.entry}>
                      {!isCollapsed(message) && (
                        <span className={styles.author}>
                          <bdi className="truncate strong" translate="no">
                            {getShownName(personas, message.memberId)}
                          </bdi>
                          <StaffBadge persona={persona} />
                        </span>
                      )}
                      <bdi className={styles.text}>{toSummary(message)}</bdi>
                    </span>
                  </button>
                </li>
              );
            })}
          </ol>
        </div>
      )}
    </section>
  );
}
