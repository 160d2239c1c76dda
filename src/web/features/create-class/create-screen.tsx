import { site } from '#web/site.ts';
import { Screen } from '#web/ui/screen.tsx';
import { CreateForm } from './create-form.tsx';

export function CreateScreen() {
  return (
    <Screen title={`Create ${site.appName}`}>
      <CreateForm />
    </Screen>
  );
}
