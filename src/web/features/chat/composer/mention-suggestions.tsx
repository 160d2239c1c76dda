import { getText } from '#web/get-text.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import type { Suggestions } from './mention-list.tsx';
import styles from './mention-suggestions.module.css';

const mentionList = createPreloadedModule(() => import('./mention-list.tsx'));

/** The members that the typed name may mean. The text field refers to the active one. */
export function MentionSuggestions({
  suggestions,
  className,
}: {
  suggestions: Suggestions;
  className?: string | undefined;
}) {
  const { people } = suggestions;
  return (
    <>
      <VisuallyHidden>
        <span role="status">
          {people.length > 0 && getText('chat.mentions.found', { count: people.length })}
        </span>
      </VisuallyHidden>
      {people.length > 0 && (
        <OnDemand code={mentionList} isQuiet>
          {({ MentionList }) => <MentionList {...suggestions} className={className} />}
        </OnDemand>
      )}
    </>
  );
}

/** Says before the message is sent that a typed name mentions no one. */
export function UnreachedHint({ unreachedName }: { unreachedName: string | null }) {
  return (
    <p role="status" className={styles.unreached}>
      {unreachedName !== null && getText('chat.mentions.unreached', { name: unreachedName })}
    </p>
  );
}
