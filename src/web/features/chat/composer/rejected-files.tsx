import type { RejectedFile } from '#web/sync/uploads/staging.ts';

const maxNames = 3;

/** Why files were not added: one line for each reason. */
export function RejectedFiles({ files }: { files: readonly RejectedFile[] }) {
  const problems = new Set(files.map(({ problem }) => problem));
  return [...problems].map((problem) => {
    const names = files.flatMap((file) =>
      file.problem === problem && file.name ? [file.name] : [],
    );
    const otherCount = names.length - maxNames;
    return (
      <p key={problem}>
        {names.length > 0 && (
          <>
            <bdi>{names.slice(0, maxNames).join(', ')}</bdi>
            {otherCount > 0 && ` and ${otherCount} more`}
            {': '}
          </>
        )}
        {problem}
      </p>
    );
  });
}
