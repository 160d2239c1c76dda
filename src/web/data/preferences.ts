import { getText } from '#web/get-text.ts';
// Changes what the member chose for themselves in a class. The code that saves it loads after the first screen.
import { createPreloadedModule } from '#web/lazy-module.ts';
import type { Choice, ChoiceTarget } from './save-preferences.ts';

/** Preloaded, because it may be needed when there is no connection. */
const saving = createPreloadedModule(() => import('./save-preferences.ts'));

/** Shows the choice immediately and saves it. A notice offers to undo it, or says why it was not saved. */
export async function choosePreference(target: ChoiceTarget, choice: Choice): Promise<void> {
  await saving.load();
  const module = saving.getSnapshot();
  if (module) return module.savePreference(target, choice);
  target.notify({
    text: getText('data.preference.offline'),
    action: { label: getText('common.retry'), run: () => void choosePreference(target, choice) },
  });
}
