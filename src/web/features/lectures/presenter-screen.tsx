// The screen of the hall: the questions of a lecture and a poll in large type, without the people who asked them. It is opened by a link
// whose token is in the fragment, on a computer where no one is signed in, and is moved with keys.
import { type ReactNode, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';
import { formatCount } from '#web/format.ts';
import { loadMarkup, markupSettled, toPlainText } from '#web/markup/message-markup.ts';
import { Button } from '#web/ui/button.tsx';
import { DialogsProvider } from '#web/ui/dialogs.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { PlainPage } from '#web/ui/plain-page.tsx';
import { MessageText } from '#web/ui/message-text.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { PlainText } from '#web/ui/plain-text.tsx';
import { getShortcutKey } from '#web/ui/shortcut-keys.ts';
import { useTitle } from '#web/ui/use-title.ts';
import { HallCodeForm } from './hall-code-form.tsx';
import { JoinCode } from './join-code.tsx';
import { type Presentation, usePresentation } from './presentation.ts';
import { PresentedPoll } from './presented-poll.tsx';
import styles from './presenter-screen.module.css';
import { useSlides } from './use-slides.ts';

loadMarkup();

type Question = Presentation['presentedQuestions'][number];

const noNames = new Map<string, never>();
/** The token begins with the id of the class. */
const classIdLength = 16;
const nextCount = 3;

export function PresenterScreen() {
  const token = useLocation().hash.slice(1);
  return token === '' ? <HallCodeForm /> : <LinkedLecture key={token} token={token} />;
}

function LinkedLecture({ token }: { token: string }) {
  const state = usePresentation(token);
  // The texts change when the parser has loaded.
  useSyncExternalStore(markupSettled.subscribe, markupSettled.getSnapshot);
  if (state.kind === 'over') {
    return (
      <PlainPage text="This lecture is over, or its link was revoked.">
        <Link to="/present">Type another code</Link>
      </PlainPage>
    );
  }
  if (state.kind === 'loading') {
    return <PlainPage text={state.isConnected ? 'Loading...' : 'Waiting for a connection…'} />;
  }
  return (
    <DialogsProvider>
      <Slides
        presentation={state.presentation}
        isConnected={state.isConnected}
        joinUrl={`${location.origin}/home/${token.slice(0, classIdLength)}`}
      />
    </DialogsProvider>
  );
}

interface Props {
  presentation: Presentation;
  isConnected: boolean;
  /** Leads students to the class. */
  joinUrl: string;
}

function Slides({ presentation, isConnected, joinUrl }: Props) {
  const { className, presentedQuestions: questions } = presentation;
  const { poll, index, hasPrevious, hasNext, step } = useSlides(presentation);
  const [isCodeShown, setIsCodeShown] = useState(false);
  useTitle(className);
  const toggleCode = () => setIsCodeShown(!isCodeShown);
  useKeys({
    ArrowRight: () => step(1),
    ArrowDown: () => step(1),
    ArrowLeft: () => step(-1),
    ArrowUp: () => step(-1),
    PageDown: () => step(1),
    PageUp: () => step(-1),
    ' ': () => step(1),
    Home: () => step(-questions.length),
    End: () => step(questions.length),
    d: toggleColorScheme,
    f: toggleFullScreen,
    q: toggleCode,
  });
  return (
    <div className={styles.screen}>
      <header className={styles.head}>
        <h1>{className}</h1>
        <p role="status">{isConnected ? '' : 'Not connected. The list may be old.'}</p>
        <p className={styles.position}>
          {poll && 'Poll'}
          {!poll && questions.length > 0 && `${index + 1} of ${formatCount(questions.length)}`}
        </p>
      </header>
      <main className={styles.main}>
        <Slide
          poll={poll}
          questions={questions.slice(index, index + 1 + nextCount)}
          isCodeShown={isCodeShown}
          joinUrl={joinUrl}
        />
      </main>
      <nav className={styles.tools} aria-label="Screen">
        <Button onClick={() => step(-1)} disabled={!hasPrevious}>
          Previous
        </Button>
        <Button onClick={() => step(1)} disabled={!hasNext}>
          Next
        </Button>
        <Button aria-pressed={isCodeShown} onClick={toggleCode}>
          <Key name="Q">Code</Key>
        </Button>
        <Button onClick={toggleColorScheme}>
          <Key name="D">Dark or light</Key>
        </Button>
        <Button onClick={toggleFullScreen}>
          <Key name="F">Full screen</Key>
        </Button>
      </nav>
    </div>
  );
}

interface SlideProps {
  poll: Presentation['presentedPoll'];
  /** The question that is shown without a poll, and the next ones. */
  questions: readonly Question[];
  isCodeShown: boolean;
  joinUrl: string;
}

function Slide({ poll, questions, isCodeShown, joinUrl }: SlideProps) {
  const [current, ...nextQuestions] = questions;
  if (poll && !isCodeShown) return <PresentedPoll key={poll.pollKey} poll={poll} />;
  if (current && !isCodeShown) {
    return (
      <>
        <CurrentQuestion question={current} />
        <NextQuestions questions={nextQuestions} />
      </>
    );
  }
  const action = poll ? 'Vote in the class' : 'Ask in the class';
  return (
    <JoinCode url={joinUrl}>{poll || current ? action : `No questions yet. ${action}`}</JoinCode>
  );
}

function CurrentQuestion({ question }: { question: Question }) {
  const { questionKey, questionText, voteCount, answered } = question;
  return (
    // Screen readers announce a change in the region, but not a new region.
    <article className={styles.current} aria-live="polite" aria-label="Question">
      <div
        key={questionKey}
        className={styles.text}
        data-length={toLength(toPlainText(questionText, noNames))}
        // A long question scrolls, also with the keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable
        tabIndex={0}
      >
        <div dir="auto">
          <MessageText text={questionText} tabIndex={-1} />
        </div>
      </div>
      <p className={styles.votes}>
        {answered && (
          <span className={styles.answered}>
            <Icon name="check" size={32} />
            Answered
          </span>
        )}
        {voteCount > 0 &&
          `${voteCount === 1 ? '1 person has' : `${formatCount(voteCount)} people have`} this question too`}
      </p>
    </article>
  );
}

/** A short line takes as much height as one of this many characters. */
const minLineLength = 30;

function toLength(text: string): 'short' | 'medium' | 'long' {
  const lineLengths = text.split('\n').map(({ length }) => Math.max(length, minLineLength));
  const length = lineLengths.reduce((sum, lineLength) => sum + lineLength, 0);
  if (length <= 120) return 'short';
  return length <= 400 ? 'medium' : 'long';
}

function NextQuestions({ questions }: { questions: readonly Question[] }) {
  if (questions.length === 0) return null;
  const hasVotes = questions.some(({ voteCount }) => voteCount > 0);
  return (
    <ol className={styles.next} aria-label="Next questions">
      {questions.map(({ questionKey, questionText, voteCount, answered }) => (
        <li key={questionKey} data-answered={answered || undefined}>
          {hasVotes && (
            <span className={styles.count}>{voteCount > 0 && formatCount(voteCount)}</span>
          )}
          <PlainText text={questionText} names={noNames} className={styles.line} />
        </li>
      ))}
    </ol>
  );
}

function Key({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      {children} <kbd>{name}</kbd>
    </>
  );
}

/** Calls the action of a key, unless a button or a text that scrolls handles the key. */
function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const { altKey, ctrlKey, metaKey, target } = event;
    const key = getShortcutKey(event);
    if (altKey || ctrlKey || metaKey) return;
    const isOnButton = target instanceof HTMLButtonElement && key === ' ';
    const action = actions[key];
    if (!action || isOnButton || isScrolledBy(key, target)) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener('keydown', handleKeyDown);
    return () => window.removeEventListener('keydown', handleKeyDown);
  }, []);
}

const scrollKeys = ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp'];

/** Whether the key scrolls the focused text, because the text is longer than its place. */
function isScrolledBy(key: string, target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || target.tabIndex !== 0) return false;
  return scrollKeys.includes(key) && target.scrollHeight > target.clientHeight;
}

/** Lasts until the page is closed: the computer belongs to the hall. */
function toggleColorScheme(): void {
  const { dataset } = document.documentElement;
  const { theme } = dataset;
  const isDark =
    theme === 'dark' ||
    (theme !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  dataset['theme'] = isDark ? 'light' : 'dark';
}

function toggleFullScreen(): void {
  // A browser that does not allow it leaves the page as it is.
  const change = document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen();
  change.catch(() => undefined);
}
