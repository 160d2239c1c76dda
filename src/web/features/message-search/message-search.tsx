// The search in the messages of one class: a panel next to the room, or over it on a narrow screen. The server
// searches. A result opens its message in the room, and Back returns to the results. `found-messages-query.ts`
// keeps results in step with edits and deletions, so a deleted text leaves the screen here, too.
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { limits } from '#contract/limits.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { CheckBox } from '#web/ui/check-box.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { DayPicker, openDayPicker } from '#web/ui/day-picker.tsx';
import { isComposing } from '#web/ui/shortcut-keys.ts';
import { useEscape } from '#web/ui/use-escape.ts';
import { useToday } from '#web/ui/use-today.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { useStore } from '#web/use-store.ts';
import { FoundMessages } from './found-messages.tsx';
import styles from './message-search.module.css';

interface Props {
  fieldId: string;
  classId: string;
  label: string;
  /** The submitted query. */
  query: string;
  /** What the field contains at first. */
  initialText: string;
  /** The member comes back to the results. */
  hasComeBack: boolean;
  /** The panel covers the room. */
  coversRoom: boolean;
  /** The state of the history entry of an opened result. */
  resultState: object;
  room: Room;
  onQuery: (query: string) => void;
  /** Shows the first message since this time, in milliseconds. */
  onPickDay: (time: number) => void;
  onClose: () => void;
}

const debounceMs = 300; // LAYOUT-51

/** Searches the messages of one class. */
export function MessageSearch(props: Props) {
  const { fieldId, classId, label, query, initialText, coversRoom, resultState } = props;
  const { onQuery, onClose } = props;
  const panel = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(initialText);
  const topics = useStore(props.room, ({ settings }) => settings.topics);
  const currentId = useStore(props.room, ({ topic }) => topic?.topicId);
  // A result of another topic shows all messages, and the search stays as it is.
  const [lastId, setLastId] = useState(currentId);
  if (currentId !== undefined && currentId !== lastId) setLastId(currentId);
  const shownTopic = topics?.find(({ topicId }) => topicId === lastId);
  const [isInTopic, setIsInTopic] = useState(true);
  const today = new Date(useToday());
  useEscape(coversRoom, onClose);

  const submit = (searchText: string) => {
    if (searchText.trim() !== query) onQuery(searchText.trim());
  };
  // Reads the latest state, because Enter may have searched meanwhile.
  const submitLater = useEffectEvent(submit);
  useEffect(() => {
    const timer = setTimeout(() => submitLater(text), debounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  // With results on screen, the field would open the keyboard of a phone over them.
  const startsAtResults = useRef(props.hasComeBack && query !== '');
  const hasTypedText = useRef(initialText !== query);
  useEffect(() => {
    const start = startsAtResults.current ? panel.current : field.current;
    start?.focus({ preventScroll: true });
    const end = field.current?.value.length ?? 0;
    if (start === field.current) {
      field.current?.setSelectionRange(hasTypedText.current ? end : 0, end);
    }
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent) || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      onClose();
      return;
    }
    const results = [...(panel.current?.querySelectorAll<HTMLElement>('[data-result]') ?? [])];
    const target = findTarget(event.key, results, field.current);
    if (!target) return;
    event.preventDefault();
    target.focus();
  };

  // The heading of a covered room is hidden from screen readers.
  const Heading = coversRoom ? 'h1' : 'h2';
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its field and results handle the keys.
    <search
      ref={panel}
      className="panel"
      aria-label={getText('messageSearch.title', { className: label })}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <VisuallyHidden as="div">
        <Heading>{getText('messageSearch.title', { className: label })}</Heading>
      </VisuallyHidden>
      <form
        className="panel-head ruled"
        onSubmit={(event) => {
          event.preventDefault();
          submit(text);
        }}
      >
        <span className={styles.box}>
          <Icon name="search" size={18} />
          <input
            ref={field}
            id={fieldId}
            className={styles.field}
            type="text"
            role="searchbox"
            dir="auto"
            aria-label={getText('messageSearch.field.label')}
            placeholder={getText('messageSearch.field.placeholder')}
            maxLength={limits.messageQuery}
            autoComplete="off"
            spellCheck={false}
            enterKeyHint="search"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </span>
        <DayPicker
          today={today}
          onPick={(time) => {
            if (coversRoom) onClose();
            props.onPickDay(time);
          }}
        >
          <IconButton
            icon="calendar"
            label={getText('messageSearch.jump')}
            onClick={openDayPicker}
          />
        </DayPicker>
        <IconButton icon="close" label={getText('messageSearch.close')} onClick={onClose} />
      </form>
      {shownTopic && (
        <CheckBox
          className={styles.scope}
          checked={isInTopic}
          onChange={(isChecked) => setIsInTopic(isChecked)}
        >
          {getText('topics.searchOnly', { name: shownTopic.name })}
        </CheckBox>
      )}
      <FoundMessages
        classId={classId}
        label={label}
        query={query}
        topicId={shownTopic && isInTopic ? shownTopic.topicId : null}
        resultState={resultState}
        room={props.room}
        onFocusLost={() => field.current?.focus({ preventScroll: true })}
      />
    </search>
  );
}

/** The element that a key moves to, from the focused one. */
function findTarget(
  key: string,
  results: readonly HTMLElement[],
  field: HTMLElement | null,
): HTMLElement | null | undefined {
  const index = results.findIndex((result) => result === document.activeElement);
  const isInField = document.activeElement === field;
  if (key === 'ArrowDown' && (index >= 0 || isInField)) return results[index + 1];
  if (index < 0) return undefined;
  switch (key) {
    case 'ArrowUp':
      return index === 0 ? field : results[index - 1];
    case 'Home':
      return results[0];
    case 'End':
      return results.at(-1);
    default:
      return undefined;
  }
}
