import { useLive } from '#web/app/live-provider.tsx';
import { ProfileScreen } from '#web/features/profile/profile-screen.tsx';
import { ShortcutsButton } from '#web/features/shortcuts/shortcuts-button.tsx';

export function ProfileArea() {
  return <ProfileScreen live={useLive()} shortcuts={<ShortcutsButton />} />;
}
