import {
  type ReactNode,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { defaultName } from '#contract/default-name.ts';
import type { Message, Persona, Question } from '#contract/entities.ts';
import { toImageCounts } from '#contract/pdf.ts';
import { findTags } from '#contract/persona-name.ts';
import { toErrorMessage } from '#web/api.ts';
import { countImages, moderationTexts } from '#web/format.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import { toAnswerText } from '#web/markup/answer-text.ts';
import { renderPlainTextWithRanges } from '#web/markup/message-markup.ts';
import { findTopicName, type Room, type RoomView } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { EntryAuthor, EntrySkeletons, EntryTime } from '#web/ui/message-entry.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { useStore } from '#web/use-store.ts';
import { toExcerpt, type Mark } from './excerpt.ts';
import { isSearchable, useFoundMessages } from './use-found-messages.ts';
import styles from './message-search.module.css';

interface Props {
  classId: string;
  label: string;
  query: string;
  /** The topic that is searched. Null: all messages. */
  topicId: string | null;
  resultState: object;
  room: Room;
  /** The focused result was removed, and none is left. */
  onFocusLost: () => void;
}

/** The results of a query, or why there are none. */
export function FoundMessages(props: Props): ReactNode {
  const { classId, query, topicId, resultState, room, onFocusLost } = props;
  const preferences = useStore(room.preferences);
  const { ignored, hidden } = preferences;
  /** Collapsed results that the member wants to see. */
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(new Set());
  const isCollapsed = ({ id, memberId }: Message) =>
    !revealed.has(id) && (hidden.has(id) || ignored.has(memberId));
  const messagesQuery = useFoundMessages(classId, query, topicId);
  const list = useRef<HTMLOListElement>(null);
  const hits = messagesQuery.data?.pages.flatMap((page) => page.hits) ?? [];
  const foundPersonas = messagesQuery.data?.pages.flatMap((page) => page.personas) ?? [];
  const personas = new Map([
    ...room.getSnapshot().personas,
    ...foundPersonas.map((persona) => [persona.memberId, persona] as const),
  ]);
  const tags = findTags(personas);
  /** The number of results when 'Search older messages' was pressed. The focus moves to the next result. */
  const previousCount = useRef<number | null>(null);
  useEffect(() => {
    if (previousCount.current === null || hits.length <= previousCount.current) return;
    list.current?.children[previousCount.current]
      ?.querySelector<HTMLElement>('[data-result]')
      ?.focus();
    previousCount.current = null;
  }, [hits.length]);

  const focusedIndex = useRef<number | null>(null);
  const restoreFocus = useEffectEvent(() => {
    if (focusedIndex.current === null || document.activeElement !== document.body) return;
    const next = list.current?.children[Math.min(focusedIndex.current, hits.length - 1)];
    if (next) next.querySelector<HTMLElement>('[data-result]')?.focus();
    else onFocusLost();
  });
  // The message of the focused result was deleted.
  useLayoutEffect(() => restoreFocus());

  const reveal = (id: string, index: number) => {
    flushSync(() => setRevealed((old) => new Set([...old, id])));
    list.current?.children[index]?.querySelector<HTMLElement>('[data-result]')?.focus();
  };

  const isSearching = isSearchable(query) && messagesQuery.isPending;
  return (
    <>
      {/* Screen readers announce only what changes in an element that was there before. */}
      <div role="status" aria-label={isSearching ? getText('messageSearch.searching') : undefined}>
        {isSearching ? <EntrySkeletons /> : <SearchState {...props} found={messagesQuery} />}
      </div>
      {isSearchable(query) && messagesQuery.isError && !messagesQuery.data && (
        <div className="blank">
          <QueryState query={messagesQuery} />
        </div>
      )}
      {isSearchable(query) && (hits.length > 0 || messagesQuery.hasNextPage) && (
        <div className="panel-body">
          <ol
            ref={list}
            className="divided"
            aria-label={getText('messageSearch.results')}
            aria-busy={messagesQuery.isFetching}
          >
            {hits.map(({ message, marks }, index) => (
              <li key={message.id}>
                {isCollapsed(message) ? (
                  <button
                    type="button"
                    data-result
                    className={`${styles.result} ${styles.collapsed}`}
                    onClick={() => reveal(message.id, index)}
                  >
                    {ignored.has(message.memberId)
                      ? getText('messageSearch.ignored')
                      : getText('messageSearch.hidden')}
                    <span className={styles.show}>{getText('messageSearch.show')}</span>
                  </button>
                ) : (
                  <Result
                    classId={classId}
                    query={query}
                    message={message}
                    marks={marks}
                    personas={personas}
                    preferences={preferences}
                    tag={tags.get(message.memberId)}
                    topicName={findTopicName(room.getSnapshot(), message)}
                    state={resultState}
                    onFocusChange={(isFocused) => (focusedIndex.current = isFocused ? index : null)}
                  />
                )}
              </li>
            ))}
          </ol>
          {messagesQuery.hasNextPage && (
            <div className={`${styles.more} screen-only`}>
              {messagesQuery.isFetchNextPageError && (
                <p role="alert">{toErrorMessage(messagesQuery.error)}</p>
              )}
              <Button
                aria-disabled={messagesQuery.isFetchingNextPage}
                onClick={() => {
                  previousCount.current = hits.length;
                  void messagesQuery.fetchNextPage();
                }}
              >
                {messagesQuery.isFetchingNextPage
                  ? getText('messageSearch.loading')
                  : getText('messageSearch.older')}
              </Button>
            </div>
          )}
        </div>
      )}
    </>
  );
}

interface SearchStateProps extends Pick<Props, 'label' | 'query'> {
  found: ReturnType<typeof useFoundMessages>;
}

/** What to type, or how many messages were found. */
function SearchState({ label, query, found }: SearchStateProps) {
  if (!isSearchable(query)) {
    return (
      <p className={styles.hint}>
        {query
          ? getText('messageSearch.noWord')
          : getText('messageSearch.hint', { className: label })}
      </p>
    );
  }
  if (!found.data) return null;
  const count = found.data.pages.flatMap((page) => page.hits).length;
  if (count === 0 && !found.hasNextPage) {
    return (
      <div className="blank">
        <EmptyState text={getText('messageSearch.empty', { className: label, query })} />
      </div>
    );
  }
  return (
    <p className={styles.count}>
      {found.hasNextPage
        ? getText('messageSearch.count.soFar', { count })
        : getText('messageSearch.count', { count })}
    </p>
  );
}

interface ResultProps {
  classId: string;
  query: string;
  message: Message;
  personas: ReadonlyMap<string, Persona>;
  preferences: RoomView['preferences'];
  /** Tells the author from others with the same tile. */
  tag: string | undefined;
  topicName: string | undefined;
  marks: readonly Mark[];
  state: object;
  onFocusChange: (isFocused: boolean) => void;
}

function Result(props: ResultProps) {
  const { classId, query, message, personas, preferences, tag, topicName, marks, state } = props;
  const { onFocusChange } = props;
  const [now] = useState(() => new Date());
  const { id, createdAt, text, moderation } = message;
  const persona = personas.get(message.memberId);
  const renderedText = renderPlainTextWithRanges(text, marks, personas);
  const files = countImages(toImageCounts(message.images));
  const { question } = message;
  return (
    <Link
      data-result
      className={styles.result}
      to={`/home/${classId}?message=${id}`}
      // The room marks what it matches in the message.
      state={{ ...state, query }}
      draggable={false}
      onFocus={() => onFocusChange(true)}
      onBlur={() => onFocusChange(false)}
    >
      <EntryAuthor
        name={persona?.anonymousName ?? defaultName}
        icon={persona?.icon ?? message.memberId}
        persona={persona}
        tag={tag}
      >
        <EntryTime createdAt={createdAt} now={now} />
      </EntryAuthor>
      <span className={styles.text} dir="auto">
        {moderation === 'hidden'
          ? moderationTexts.hidden
          : toExcerpt(renderedText.text, renderedText.ranges).map((part, index) =>
              part.isMatch ? <mark key={index}>{part.text}</mark> : part.text,
            )}
      </span>
      {topicName !== undefined && <bdi className="meta truncate">{topicName}</bdi>}
      {files && <span className="meta">{files}</span>}
      {question && (
        <QuestionLine question={question} personas={personas} preferences={preferences} />
      )}
    </Link>
  );
}

/** Says whether a question has an answer, and how it begins. */
function QuestionLine({
  question,
  personas,
  preferences,
}: Pick<ResultProps, 'personas' | 'preferences'> & { question: Question }) {
  const answer = question.answer ?? question.endorsed;
  return (
    <span className={styles.question} data-answered={answer ? '' : undefined}>
      <Icon name={answer ? 'check' : 'question'} size={16} />
      <span>
        {answer
          ? getRichText('messageSearch.answered', {
              answer: toAnswerText(answer, personas, preferences),
              bdi: <bdi />,
            })
          : getText('messageSearch.unanswered')}
      </span>
    </span>
  );
}
