import { type KeyboardEvent, type RefObject, useEffect } from 'react';
import { limits } from '#contract/limits.ts';
import type { Room, RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { attempt } from '#web/attempt.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import {
  isQuestionDraft,
  loadDraft,
  loadMentionDraft,
  saveMentionDraft,
  saveQuestionDraft,
  toPrivateDraft,
  useDraft,
} from '#web/data/drafts.ts';
import { isComposing } from '#web/ui/shortcut-keys.ts';
import { useStore } from '#web/use-store.ts';
import { useSecondsUntil } from '#web/ui/use-seconds-until.ts';
import { findSlowModeEnd, toDraftSpeaker } from './send-state.ts';
import { useMentionField } from './use-mention-field.ts';
import { usePastedCode } from './use-pasted-code.ts';
import { useSendQuestion } from './use-send-question.ts';

export const speakerChoice = createLazyModule(() => import('./speaker-choice.tsx'));

export interface ComposerOptions {
  classId: string;
  field: RefObject<HTMLTextAreaElement | null>;
  room: Room;
  view: RoomView;
  /** The message that the next message replies to. */
  replyingTo: RoomMessage | null;
  onCancelReply: () => void;
  /** Starts an edit of the member's last message. */
  onEditLast: () => void;
  /** Scrolls the messages by a page. */
  onPage: (direction: 'up' | 'down') => void;
  /** The viewer cannot write now. The draft stays. */
  disabled: boolean;
}

/** The draft of a room: its text and pictures, what keeps it from going out, and what the member can do with it. */
export function useComposer(options: ComposerOptions) {
  const { classId, field, room, view, replyingTo, onCancelReply, disabled } = options;
  const mentions = useMentionField({
    classId,
    room,
    view,
    field,
    loadInitial: () => loadMentionDraft(classId),
    storedText: useDraft(classId),
    onChange: (draft) => saveMentionDraft(classId, draft),
  });
  const { text, messageText } = mentions;
  const staged = useStore(room.staging);
  const waitSeconds = useSlowModeWait(room, view);
  const isChoiceShown = useStore(speakerChoice);
  const speaker = toDraftSpeaker(view, isChoiceShown !== null);
  const hasContent = messageText !== '' || staged.pictures.length > 0;
  const isTooLong = messageText.length > limits.messageText;
  const isComplete = hasContent && !isTooLong && !staged.reading && !disabled;
  const isReady = isComplete && waitSeconds < 1 && speaker.isChosen;
  const pastedCode = usePastedCode(field, text);
  const question = useSendQuestion();
  const focus = () => field.current?.focus({ preventScroll: true });

  useFocusOnOpen(field);

  const closeTopmost = (): boolean => {
    if (question.warning) question.close();
    else if (pastedCode.isOffered) pastedCode.decline();
    else if (replyingTo) onCancelReply();
    else return false;
    return true;
  };

  return {
    mentions,
    ...staged,
    waitSeconds,
    speaker,
    isReady,
    pastedCode,
    question,
    focus,
    change(next: string) {
      mentions.change(next);
      question.close();
      if (!next.trim()) question.reset();
      // A question can still go to staff alone, and its moment would tell who asks.
      else if (!isQuestionDraft(classId)) room.notifyTyping();
    },
    stage(files: readonly File[]) {
      void room.staging.add(files);
      focus();
    },
    send() {
      if (!speaker.isChosen) {
        field.current?.form?.querySelector<HTMLElement>('[name=speaker]')?.focus();
      }
      if (!isReady) return;
      const isQuestion = isQuestionDraft(classId);
      const writtenTexts = [text.trim(), ...staged.pictures.map(({ alt }) => alt)];
      question.whenLoaded(text, () => {
        // Meanwhile, the member gave the text to staff, or chose to speak under another name.
        if (isQuestionDraft(toPrivateDraft(classId))) return;
        if (room.getSnapshot().speaker !== view.speaker) return;
        if (!attempt(() => question.maySend(writtenTexts), true)) return;
        room.post(messageText, replyingTo?.id, isQuestion);
        attempt(() => saveQuestionDraft(classId, false), undefined);
        // What was typed while the check loaded stays.
        if ((field.current?.value ?? loadDraft(classId)) !== text) return;
        const tidyUps = [mentions.clear, question.reset, pastedCode.decline];
        for (const tidyUp of [...tidyUps, onCancelReply]) attempt(tidyUp, undefined);
      });
      focus();
    },
    handleKeyDown(event: KeyboardEvent) {
      if (mentions.handleKeyDown(event) || isComposing(event.nativeEvent)) return;
      const { key } = event;
      if (key === 'ArrowUp' && !text && !disabled) options.onEditLast();
      else if (key === 'PageUp' || key === 'PageDown') {
        options.onPage(key === 'PageUp' ? 'up' : 'down');
      } else if (key !== 'Escape' || !closeTopmost()) return;
      event.preventDefault();
    },
  };
}

/**
 * Sets the caret behind the draft. Focuses only on devices with a mouse: on a phone the on-screen keyboard would cover
 * the room.
 */
export function useFocusOnOpen(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const length = field.current?.value.length ?? 0;
    field.current?.setSelectionRange(length, length);
    if (matchMedia('(hover: hover)').matches && !document.querySelector('dialog[open]')) {
      field.current?.focus({ preventScroll: true });
    }
  }, [field]);
}

/** Counts the seconds until slow mode lets the member send again. */
function useSlowModeWait({ serverNow }: Room, view: RoomView): number {
  const end = attempt(() => findSlowModeEnd(view), null);
  // A message that is not sent has the time of the browser, whose clock may be ahead.
  return Math.min(view.settings.slowModeSeconds, useSecondsUntil(end, serverNow));
}
