// Questions: the panel that lists the questions of a class, and its button in the header of the room, which counts the
// unanswered ones. The list itself is in `data/questions.ts`, because the room shows it in other places too.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { isAnswered, updateQuestions, useQuestions } from '#web/data/questions.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { isAltLetter } from '#web/ui/shortcut-keys.ts';
import { hasOpenLayer } from '#web/ui/use-escape.ts';

interface Props {
  classId: string;
  room: Room;
  isOpen: boolean;
  /** Opens or closes the panel. */
  onPress: () => void;
}

const maxCount = 99;

/** Keeps the list of questions current while the room is open. */
export function QuestionsButton({ classId, room, isOpen, onPress }: Props) {
  const client = useQueryClient();
  const { questions } = useQuestions(classId, room);
  useEffect(
    () => room.onMessageChanged((change) => updateQuestions(client, classId, change)),
    [room, client, classId],
  );
  useShortcut(onPress);
  const count = questions.filter(({ question }) => !isAnswered(question)).length;
  return (
    <IconButton
      icon="hand"
      label={getText('questions.title.count', { count })}
      aria-expanded={isOpen}
      onClick={onPress}
    >
      {count > maxCount ? `${maxCount}+` : count || null}
    </IconButton>
  );
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
