import type { RefusedFile } from '#web/sync/uploads/staging.ts';

const maxNames = 3;

/** Why files were not added: one line for each reason. */
export function RefusedFiles({ refused }: { refused: readonly RefusedFile[] }) {
  const problems = new Set(refused.map(({ problem }) => problem));
  return [...problems].map((problem) => {
    const names = refused.flatMap((one) => (one.problem === problem && one.name ? [one.name] : []));
    const others = names.length - maxNames;
    return (
      <p key={problem}>
        {names.length > 0 && (
          <>
            <bdi>{names.slice(0, maxNames).join(', ')}</bdi>
            {others > 0 && ` and ${others} more`}
            {': '}
          </>
        )}
        {problem}
      </p>
    );
  });
}
