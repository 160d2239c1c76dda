import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { NetworkError } from '#web/api.ts';
import { useOpenMessage } from '#web/features/chat/messages/use-open-message.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { useEscape } from '#web/ui/use-escape.ts';
import { searchFieldId, type useMessageSearch } from './use-message-search.ts';
import type { SidePanel } from './use-side-panel.ts';
import styles from './room-pane.module.css';

const searchPanelQuery = queryOptions({
  queryKey: ['code', 'message-search'],
  queryFn: loadPanel,
  staleTime: Infinity,
  gcTime: Infinity,
});

async function loadPanel() {
  try {
    const [{ MessageSearch }, { updateFoundMessages }] = await Promise.all([
      import('#web/features/message-search/message-search.tsx'),
      import('#web/features/message-search/found-messages-query.ts'),
    ]);
    return { MessageSearch, updateFoundMessages };
  } catch {
    // Every failed import counts as a network error, so that the panel offers a retry.
    throw new NetworkError();
  }
}

const preloadDelayMs = 3000;

/** Loads the code of the search panel after the room. */
export function usePreloadSearchPanel(): void {
  const client = useQueryClient();
  useEffect(() => {
    const timer = setTimeout(() => void client.prefetchQuery(searchPanelQuery), preloadDelayMs);
    return () => clearTimeout(timer);
  }, [client]);
}

/** Keeps what a search has found current. There is nothing before the code of the panel has loaded. */
export function useFoundMessages(classId: string, room: Room): void {
  const client = useQueryClient();
  useEffect(
    () =>
      room.onMessageChanged((change) => {
        client
          .getQueryData(searchPanelQuery.queryKey)
          ?.updateFoundMessages(client, classId, change);
      }),
    [room, client, classId],
  );
}

interface Props {
  classId: string;
  label: string;
  panel: SidePanel;
  search: ReturnType<typeof useMessageSearch>;
  room: Room;
}

/** The search panel. Until its code has loaded, a plain field takes what the member types. */
export function RoomSearch({ classId, label, panel, search, room }: Props) {
  const searchPanel = useQuery(searchPanelQuery);
  const { openDay } = useOpenMessage(room);
  const [text, setText] = useState(search.query);
  if (searchPanel.data) {
    const { MessageSearch } = searchPanel.data;
    return (
      <MessageSearch
        key={classId}
        fieldId={searchFieldId}
        classId={classId}
        label={label}
        query={search.query}
        initialText={text}
        hasComeBack={panel.hasComeBack}
        coversRoom={panel.coversRoom}
        resultState={panel.messageState}
        room={room}
        onQuery={search.setQuery}
        onPickDay={(time) => void openDay(time)}
        onClose={panel.close}
      />
    );
  }
  return (
    <section
      className={styles.loading}
      aria-label={getText('messageSearch.title', { className: label })}
    >
      <div className="panel-head ruled">
        <LoadingField text={text} onText={setText} onClose={panel.close} />
        <IconButton icon="close" label={getText('messageSearch.close')} onClick={panel.close} />
      </div>
      {searchPanel.isError && <QueryFailure query={searchPanel} />}
    </section>
  );
}

interface FieldProps {
  text: string;
  onText: (text: string) => void;
  onClose: () => void;
}

function LoadingField({ text, onText, onClose }: FieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  useEscape(true, onClose);
  return (
    <input
      ref={field}
      id={searchFieldId}
      className={styles.loadingField}
      type="text"
      role="searchbox"
      dir="auto"
      aria-label={getText('messageSearch.field.label')}
      placeholder={getText('messageSearch.field.placeholder')}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={({ target }) => onText(target.value)}
    />
  );
}
