// The screen of the hall: the questions of a lecture and a poll in large type, without the people who asked them. It is opened by a link
// whose token is in the fragment, on a computer where no one is signed in, and is moved with keys.
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useLocation } from 'react-router';
import { useLogoUrl } from '#web/data/school-theme.ts';
import { useSettings } from '#web/data/settings.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { formatNumber, getText } from '#web/get-text.ts';
import { loadMarkup, markupSettled } from '#web/markup/markup-parser.ts';
import { toPlainText } from '#web/markup/message-markup.ts';
import { Button } from '#web/ui/button.tsx';
import { DialogsProvider } from '#web/ui/dialogs.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { PlainPage } from '#web/ui/plain-page.tsx';
import { Logo } from '#web/ui/logo.tsx';
import { MessageText } from '#web/ui/message-text.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { PlainText } from '#web/ui/plain-text.tsx';
import { getShortcutKey, mirrorArrow } from '#web/ui/shortcut-keys.ts';
import { useTitle } from '#web/ui/use-title.ts';
import { useStore } from '#web/use-store.ts';
import { HallCodeForm } from './hall-code-form.tsx';
import { JoinCode } from './join-code.tsx';
import { type Presentation, usePresentation } from './presentation.ts';
import { PresentedPoll } from './presented-poll.tsx';
import styles from './presenter-screen.module.css';
import { useIsIdle } from './use-is-idle.ts';
import { useSlides } from './use-slides.ts';
import { useSlidingRows } from './use-sliding-rows.ts';

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
  useStore(markupSettled);
  if (state.kind === 'over') {
    return (
      <PlainPage text={getText('lectures.hall.over')}>
        <Link to="/present">{getText('lectures.hall.otherCode')}</Link>
      </PlainPage>
    );
  }
  if (state.kind === 'loading') {
    return (
      <PlainPage
        text={state.isConnected ? getText('common.loading') : getText('lectures.hall.waiting')}
      />
    );
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
  const { className, courseTitle, classLetters, presentedQuestions: questions } = presentation;
  const { poll, index, hasPrevious, hasNext, step } = useSlides(presentation);
  const [isCodeLarge, setIsCodeLarge] = useState(false);
  const isIdle = useIsIdle();
  useTitle(className);
  const toggleCode = () => setIsCodeLarge(!isCodeLarge);
  const { characterKeys } = useSettings();
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
    ...(characterKeys === 'on' && { d: toggleColorScheme, f: toggleFullScreen, q: toggleCode }),
  });
  const isEmpty = !poll && questions.length === 0;
  const isOnlyCode = isCodeLarge || isEmpty;
  const code = { url: joinUrl, letters: classLetters };
  return (
    <div className={styles.screen} data-idle={isIdle || undefined}>
      <header className={`wrap muted ${styles.head}`}>
        <Logo url={useLogoUrl()} height={34} />
        <h1>{className}</h1>
        {courseTitle !== className && <p>{courseTitle}</p>}
        <p role="status">{isConnected ? '' : getText('lectures.hall.notConnected')}</p>
      </header>
      <main className={styles.main} data-wide={isOnlyCode || undefined}>
        {isOnlyCode && (
          <JoinCode {...code} isLarge>
            {isEmpty ? getText('lectures.hall.noQuestions') : getText('lectures.askAndVote')}
          </JoinCode>
        )}
        {!isOnlyCode && poll && <PresentedPoll key={poll.pollKey} poll={poll} />}
        {!isOnlyCode && !poll && (
          <QuestionSlide questions={questions.slice(index, index + 1 + nextCount)} />
        )}
      </main>
      {!isOnlyCode && (
        <aside className={styles.door} aria-label={getText('lectures.hall.link')}>
          <JoinCode {...code}>{getText('lectures.askAndVote')}</JoinCode>
        </aside>
      )}
      <footer className={`wrap muted ${styles.foot}`}>
        <p>{getText('lectures.hall.askedWithoutNames')}</p>
        <nav className={`wrap ${styles.tools}`} aria-label={getText('lectures.hall.screen')}>
          <Button variant="plain" onClick={() => step(-1)} disabled={!hasPrevious}>
            <Key name={mirrorArrow('←')}>{getText('lectures.hall.previous')}</Key>
          </Button>
          <Button variant="plain" onClick={() => step(1)} disabled={!hasNext}>
            <Key name={mirrorArrow('→')}>{getText('lectures.hall.next')}</Key>
          </Button>
          <Button variant="plain" aria-pressed={isCodeLarge} onClick={toggleCode}>
            <Key name="Q">{getText('lectures.hall.largeCode')}</Key>
          </Button>
          <Button variant="plain" onClick={toggleColorScheme}>
            <Key name="D">{getText('lectures.hall.colorScheme')}</Key>
          </Button>
          <Button variant="plain" onClick={toggleFullScreen}>
            <Key name="F">{getText('lectures.hall.fullScreen')}</Key>
          </Button>
        </nav>
        <p>
          {poll && getText('lectures.poll')}
          {!poll &&
            questions.length > 0 &&
            getText('lectures.hall.place', { place: index + 1, count: questions.length })}
        </p>
      </footer>
    </div>
  );
}

/** A question, and the next ones. */
function QuestionSlide({ questions }: { questions: readonly Question[] }) {
  const [current, ...nextQuestions] = questions;
  return (
    current && (
      <>
        <CurrentQuestion question={current} />
        <NextQuestions questions={nextQuestions} />
      </>
    )
  );
}

function CurrentQuestion({ question }: { question: Question }) {
  const { questionKey, questionText, questionTopic, voteCount, answered } = question;
  return (
    // Screen readers announce a change in the region, but not a new region.
    <article
      className={styles.current}
      aria-live="polite"
      aria-label={getText('lectures.question')}
    >
      <p className={styles.votes}>
        {getRichText('lectures.votes', { count: voteCount, b: <b /> })}
      </p>
      <div className={styles.words}>
        {questionTopic !== undefined && (
          <p className={styles.topic} dir="auto">
            {questionTopic}
          </p>
        )}
        <div
          key={questionKey}
          className={styles.text}
          style={{ '--size': findSize(toPlainText(questionText, noNames)) }}
          // A long question scrolls, also with the keyboard.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable
          tabIndex={0}
        >
          <div dir="auto">
            <MessageText text={questionText} tabIndex={0} />
          </div>
        </div>
        {answered && (
          <p className={styles.answered}>
            <Icon name="check" size={32} />
            {getText('lectures.answered')}
          </p>
        )}
      </div>
    </article>
  );
}

/** A short line takes as much height as one of this many characters. */
const minLineLength = 30;

/** A hundredth of the screen's width is 1. */
function findSize(text: string): number {
  const lineLengths = text.split('\n').map(({ length }) => Math.max(length, minLineLength));
  const length = lineLengths.reduce((sum, lineLength) => sum + lineLength, 0);
  if (length <= 120) return 4;
  return length <= 400 ? 2.7 : 1.8;
}

function NextQuestions({ questions }: { questions: readonly Question[] }) {
  const list = useSlidingRows();
  if (questions.length === 0) return null;
  return (
    <ol ref={list} className={styles.next} aria-label={getText('lectures.hall.nextQuestions')}>
      {questions.map(({ questionKey, questionText, voteCount }) => (
        <li key={questionKey}>
          <b>{formatNumber(voteCount)}</b>
          <PlainText text={questionText} names={noNames} className="truncate" />
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
    const key = mirrorArrow(getShortcutKey(event));
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
