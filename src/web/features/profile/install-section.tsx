import { installOffer } from '#web/data/install-prompt.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { useStore } from '#web/use-store.ts';
import { ProfileSection } from './profile-section.tsx';

/** Offers to install the app, if the browser can and the app is not installed. */
export function InstallSection() {
  const offer = useStore(installOffer);
  if (!offer) return null;
  return (
    <ProfileSection
      title="App"
      lead={`${site.appName} can open in its own window, with an icon among your apps.`}
    >
      <Button onClick={() => void offer.prompt()}>Install</Button>
    </ProfileSection>
  );
}
