import { useLive } from '#web/app/live-provider.tsx';
import { ModerationScreen } from '#web/features/moderation/moderation-screen.tsx';

export function ModerationArea() {
  return <ModerationScreen live={useLive()} />;
}
