import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { useClasses } from '#web/data/classes.ts';
import { getText } from '#web/get-text.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { toButtonClass } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Listbox } from '#web/ui/listbox.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { isComposing } from '#web/ui/shortcut-keys.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { useBackToClose } from '#web/ui/use-back-to-close.ts';
import { useNativeDialog } from '#web/ui/use-native-dialog.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { matchClasses } from './match-classes.ts';
import { UnreadCount, toShownUnreadCount, useUnread } from './unread-count.tsx';
import styles from './class-switcher.module.css';

interface Props {
  /** The class on screen, which comes last in the list. */
  openId: string | null;
  live: LiveClient;
  onClose: () => void;
}

/** Switches to a class by typing a part of its name. */
export function ClassSwitcher({ openId, live, onClose }: Props) {
  const dialog = useNativeDialog(onClose);
  useBackToClose(onClose);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={getText('classList.switcher.label')}
      onClose={() => {
        if (dialog.current?.open === false) onClose();
      }}
      // The dialog has no padding, so a click on the dialog itself is a click on the backdrop.
      onPointerDown={({ target }) => {
        if (target === dialog.current) onClose();
      }}
    >
      <ClassCombobox openId={openId} live={live} onClose={onClose} />
    </dialog>
  );
}

/** A combobox. The focus stays in the field, and `aria-activedescendant` identifies the active class. */
function ClassCombobox({ openId, live, onClose }: Props) {
  const id = useId();
  const navigate = useNavigate();
  const classes = useClasses();
  const [query, setQuery] = useState('');
  const [activeIndex, setActiveIndex] = useState(0);
  const orderedClasses = useInitialOrder(classes.data ?? [], openId, live);
  const matchingClasses = matchClasses(orderedClasses, query);

  const open = (targetClass: Class | undefined) => {
    if (!targetClass) return;
    onClose();
    if (targetClass.classId !== openId) void navigate(`/home/${targetClass.classId}`);
  };
  const handleKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent) || event.altKey) return;
    if (event.key === 'ArrowDown') {
      setActiveIndex(matchingClasses.length > 0 ? (activeIndex + 1) % matchingClasses.length : 0);
    } else if (event.key === 'ArrowUp') {
      setActiveIndex(
        matchingClasses.length > 0
          ? (activeIndex + matchingClasses.length - 1) % matchingClasses.length
          : 0,
      );
    } else if (event.key === 'Enter') open(matchingClasses[activeIndex]);
    else return;
    event.preventDefault();
  };

  return (
    <>
      <div className={styles.box}>
        <Icon name="search" />
        <input
          role="combobox"
          data-first-focus
          className={styles.field}
          aria-label={getText('classList.switcher.field')}
          aria-expanded={matchingClasses.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={
            matchingClasses[activeIndex] && `${id}-${matchingClasses[activeIndex].classId}`
          }
          placeholder={getText('classList.switcher.placeholder')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="go"
          value={query}
          onChange={({ target }) => {
            setQuery(target.value);
            setActiveIndex(0);
          }}
          onKeyDown={handleKeyDown}
        />
      </div>
      {matchingClasses.length > 0 && (
        <Listbox
          id={id}
          label={getText('classList.switcher.results')}
          className={styles.list}
          options={matchingClasses.map((matchingClass) => ({
            key: matchingClass.classId,
            content: (
              <Option
                joinedClass={matchingClass}
                isOpen={matchingClass.classId === openId}
                live={live}
              />
            ),
          }))}
          activeIndex={activeIndex}
          onActivate={setActiveIndex}
          onChoose={(index) => open(matchingClasses[index])}
        />
      )}
      <Status
        classes={classes}
        query={query}
        matchCount={matchingClasses.length}
        onClose={onClose}
      />
    </>
  );
}

function Option({
  joinedClass,
  isOpen,
  live,
}: {
  joinedClass: Class;
  isOpen: boolean;
  live: LiveClient;
}) {
  const unread = useUnread(live, joinedClass.classId);
  const label = toClassLabel(joinedClass);
  const courseName = joinedClass.courseName?.trim();
  return (
    <>
      <bdi
        className={styles.label}
        translate="no"
        data-unread={toShownUnreadCount(unread) > 0 || undefined}
      >
        {label}
      </bdi>
      {courseName && courseName.toUpperCase() !== label && (
        <bdi className={styles.about}>{courseName}</bdi>
      )}
      <span className="row end">
        {joinedClass.ended && <Tag>{getText('classList.ended')}</Tag>}
        {isOpen && <span className={styles.about}>{getText('classList.switcher.open')}</span>}
        <UnreadCount {...unread} />
      </span>
    </>
  );
}

interface StatusProps {
  classes: ReturnType<typeof useClasses>;
  query: string;
  matchCount: number;
  onClose: () => void;
}

/** What stands in the place of the list: loading, failed, no classes, none found. */
function Status({ classes, query, matchCount, onClose }: StatusProps): ReactNode {
  const isEmpty = classes.data !== undefined && matchCount === 0;
  if (classes.isError && !classes.data) {
    return <QueryFailure className={styles.status} query={classes} />;
  }
  return (
    <div className={matchCount > 0 ? undefined : styles.status}>
      <div
        role="status"
        aria-label={classes.isPending ? getText('common.loadingStatus') : undefined}
      >
        {classes.isPending && (
          <>
            <Skeleton width="60%" height={14} />
            <Skeleton width="45%" height={14} />
          </>
        )}
        {matchCount > 0 && query && (
          <VisuallyHidden>
            {getText('classList.switcher.count', { count: matchCount })}
          </VisuallyHidden>
        )}
        {isEmpty &&
          (classes.data.length > 0
            ? getText('classList.switcher.empty')
            : getText('classList.empty'))}
      </div>
      {isEmpty && (
        <Link className={toButtonClass('quiet')} to="/search" onClick={onClose}>
          {getText('classList.switcher.searchAll')}
        </Link>
      )}
    </div>
  );
}

/**
 * Unread classes first, the open class last. The order does not change while the dialog is open, so that an arriving
 * message does not move the options.
 */
function useInitialOrder(
  classes: readonly Class[],
  openId: string | null,
  live: LiveClient,
): readonly Class[] {
  const [unreadIds] = useState(
    () =>
      new Set(
        classes
          .map(({ classId }) => classId)
          .filter((classId) => toShownUnreadCount(live.unread(classId).getSnapshot()) > 0),
      ),
  );
  const toRank = ({ classId }: Class) => {
    if (classId === openId) return 2;
    return unreadIds.has(classId) ? 0 : 1;
  };
  return classes.toSorted((joinedClass, otherClass) => toRank(joinedClass) - toRank(otherClass));
}
