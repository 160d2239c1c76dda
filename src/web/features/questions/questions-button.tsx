// Questions: the panel that lists the questions of a class, and its button in the header of the room, which counts the
// unanswered ones. The list itself is in `data/questions.ts`, because the room shows it in other places too.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import {
  toStanding,
  useFollowPrivate,
  useHasNews,
  useOwnPrivate,
  usePrivateQuestions,
} from '#web/data/private-questions.ts';
import { isAnswered, updateQuestions, useQuestions } from '#web/data/questions.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { isAltLetter } from '#web/ui/shortcut-keys.ts';
import { hasOpenLayer } from '#web/ui/use-escape.ts';
import type { QuestionTab } from './question-panel.tsx';
import styles from './questions-button.module.css';

interface Props {
  classId: string;
  room: Room;
  isOpen: boolean;
  /** Opens the panel at a tab, or closes it. */
  onPress: (tab: QuestionTab) => void;
}

const maxCount = 99;

/** Keeps the list of questions current while the room is open. */
export function QuestionsButton({ classId, room, isOpen, onPress }: Props) {
  const client = useQueryClient();
  const { questions, view } = useQuestions(classId, room);
  const hasNews = usePrivateNews(classId, room, view.staff?.maySpeak === true);
  useEffect(
    () => room.onMessageChanged((change) => updateQuestions(client, classId, change)),
    [room, client, classId],
  );
  const press = () => onPress(hasNews ? 'private' : 'unanswered');
  useShortcut(press);
  const count = questions.filter(({ question }) => !isAnswered(question)).length;
  const title = getText('questions.title.count', { count });
  return (
    <IconButton
      icon="hand"
      label={hasNews ? getText('questions.title.news', { title }) : title}
      aria-expanded={isOpen}
      onClick={press}
    >
      {count > maxCount ? `${maxCount}+` : count || null}
      {hasNews && <span className={styles.news} />}
    </IconButton>
  );
}

/** Keeps the questions that only staff see current. @returns whether the viewer has an answer to read, or as staff one to give */
function usePrivateNews(classId: string, room: Room, maySpeak: boolean): boolean {
  useFollowPrivate(room);
  const own = useOwnPrivate(classId).data?.ownPrivate ?? [];
  const ofClass = usePrivateQuestions(classId, maySpeak).data?.privateQuestions ?? [];
  const hasAnswer = useHasNews(own);
  return hasAnswer || (maySpeak && ofClass.some((question) => toStanding(question) === 'open'));
}

/** Alt+Q */
function useShortcut(onPress: () => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (!isAltLetter(event, 'q') || hasOpenLayer()) return;
    event.preventDefault();
    onPress();
  });
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener('keydown', handleKeyDown);
    return () => window.removeEventListener('keydown', handleKeyDown);
  }, []);
}
