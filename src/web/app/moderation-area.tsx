// The screen of moderators, with the texts of messages as rooms show them.
import { useLive } from '#web/app/live-provider.tsx';
import { MentionProvider } from '#web/features/chat/messages/mention.tsx';
import { MessageText } from '#web/features/chat/text/message-text.tsx';
import { ModerationScreen } from '#web/features/moderation/moderation-screen.tsx';
import type { TextRenderer } from '#web/features/moderation/render-text.ts';

export function ModerationArea() {
  return <ModerationScreen live={useLive()} renderText={renderText} />;
}

/** No mention is of the viewer, because the viewer's own persona must not be marked. */
const renderText: TextRenderer = (text, personas) => (
  <MentionProvider view={{ personas, me: null, staff: null }}>
    <MessageText text={text} tabIndex={0} />
  </MentionProvider>
);
