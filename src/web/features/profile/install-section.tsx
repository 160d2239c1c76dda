import { installOffer } from '#web/data/install-prompt.ts';
import { getText } from '#web/get-text.ts';
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
      title={getText('profile.install.title')}
      lead={getText('profile.install.lead', { appName: site.appName })}
    >
      <Button onClick={() => void offer.prompt()}>{getText('profile.install.submit')}</Button>
    </ProfileSection>
  );
}
