import type { Case } from '#contract/moderation.ts';
import { useIsOperator } from '#web/data/session.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';

const panelCode = createLazyModule(() => import('./unmasking-panel.tsx'));

/** Only operators have it, and its code loads only for them. */
export function UnmaskingSection({ caseDetails }: { caseDetails: Case }) {
  if (!useIsOperator()) return null;
  return (
    <OnDemand code={panelCode} fallback={<Skeleton width="40%" />}>
      {({ UnmaskingPanel }) => <UnmaskingPanel caseDetails={caseDetails} />}
    </OnDemand>
  );
}
