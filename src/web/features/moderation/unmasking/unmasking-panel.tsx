// For operators: asks to find the account behind a persona, or confirms what another operator asked.
import { type ReactNode, useState } from 'react';
import type { Case } from '#contract/moderation.ts';
import type { CaseUnmasking, UnmaskingRequest } from '#contract/unmasking.ts';
import { toErrorMessage } from '#web/api.ts';
import { useCall, useCommand } from '#web/data/use-call.ts';
import { moderationCalls } from '../moderation.ts';
import { refetchInterval } from './open-unmaskings.tsx';
import { formatPastDay, formatMoment } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { Status } from '#web/ui/status.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { useIsOnline } from '#web/ui/use-is-online.ts';
import { AddressDialog } from './address-dialog.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { RequestDialog } from './request-dialog.tsx';
import styles from './unmasking.module.css';

export function UnmaskingPanel({ caseDetails }: { caseDetails: Case }) {
  const { caseId } = caseDetails;
  const unmaskingQuery = useCall('readUnmasking', { params: { caseId } }, { refetchInterval });
  return (
    <section className={styles.panel} aria-label="Unmasking">
      <h3>Unmasking</h3>
      {unmaskingQuery.data && (
        <Requests caseDetails={caseDetails} caseUnmasking={unmaskingQuery.data} />
      )}
      {unmaskingQuery.isError && !unmaskingQuery.data && (
        <QueryFailure className={styles.failed} query={unmaskingQuery} />
      )}
      {unmaskingQuery.isPending && (
        <div role="status" aria-label="Loading">
          <Skeleton width="60%" />
        </div>
      )}
    </section>
  );
}

type OpenDialog = 'request' | UnmaskingRequest | null;

function Requests({
  caseDetails,
  caseUnmasking,
}: {
  caseDetails: Case;
  caseUnmasking: CaseUnmasking;
}) {
  const { unmasking, refusal, requests } = caseUnmasking;
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [address, setAddress] = useState<string | null>(null);
  const [isShown, setIsShown] = useState(false);
  const isOnline = useIsOnline();
  const openRequest = requests.find(({ state }) => state === 'open');
  const closedRequests = requests.filter((request) => request !== openRequest);
  return (
    <>
      {refusal ? (
        <p className="meta">{toRejectionText(refusal, unmasking.since)}</p>
      ) : (
        !openRequest && (
          <>
            <p className="meta">
              Only if the law demands it. Two operators must agree within 24 hours, each with their
              password. Then one of them sees this person’s email address, once.
            </p>
            <div>
              <Button aria-disabled={!isOnline} onClick={() => setDialog('request')}>
                Request…
              </Button>
            </div>
          </>
        )
      )}
      {openRequest && (
        <OpenRequest
          request={openRequest}
          canConfirm={isOnline && (refusal === null || refusal === 'ended')}
          onConfirm={() => setDialog(openRequest)}
        />
      )}
      {!isOnline && <p className="meta">You are offline. Unmasking needs a connection.</p>}
      <Status>
        {address !== null && !isShown && (
          <div className={styles.kept}>
            <p>The address stays here only until you leave this case.</p>
            <div className="wrap">
              <Button onClick={() => setIsShown(true)}>Show address</Button>
              <Button onClick={() => setAddress(null)}>Discard</Button>
            </div>
          </div>
        )}
      </Status>
      {closedRequests.length > 0 && (
        <ul className={styles.closed} aria-label="Earlier requests">
          {closedRequests.map((request) => (
            <li key={request.requestId}>
              <p>
                {renderOutcome(request)}
                <span className="meta"> · {formatMoment(request.requestedAt)}</span>
              </p>
              <p className={styles.reason} dir="auto">
                {request.reason}
              </p>
            </li>
          ))}
        </ul>
      )}
      {dialog === 'request' && (
        <RequestDialog caseDetails={caseDetails} onClose={() => setDialog(null)} />
      )}
      {dialog !== null && dialog !== 'request' && (
        <ConfirmDialog
          caseDetails={caseDetails}
          request={dialog}
          onClose={() => setDialog(null)}
          onAddress={(foundAddress) => {
            setDialog(null);
            setAddress(foundAddress);
            setIsShown(true);
          }}
        />
      )}
      {address !== null && isShown && (
        <AddressDialog
          address={address}
          onHide={() => setIsShown(false)}
          onDone={() => setAddress(null)}
        />
      )}
    </>
  );
}

interface OpenRequestProps {
  request: UnmaskingRequest;
  canConfirm: boolean;
  onConfirm: () => void;
}

function OpenRequest({ request, canConfirm, onConfirm }: OpenRequestProps) {
  const { requestId, own, requestedBy, reason, expiresAt } = request;
  const withdrawing = useCommand('withdrawUnmasking', { refreshes: moderationCalls });
  return (
    <div className={styles.open}>
      <p>
        <Tag>Open</Tag> {own ? 'You asked' : <bdi>{requestedBy}</bdi>}
        {own ? '' : ' asked'} to unmask this person. {own ? 'Another operator' : 'You'} can confirm
        it until {formatMoment(expiresAt)}.
      </p>
      <p className={styles.reason} dir="auto">
        {reason}
      </p>
      <div className="wrap">
        <Button
          aria-disabled={withdrawing.isPending}
          onClick={() => withdrawing.mutate({ params: { requestId } })}
        >
          {withdrawing.isPending ? 'Withdrawing…' : 'Withdraw'}
        </Button>
        {!own && (
          <Button variant="danger" aria-disabled={!canConfirm} onClick={onConfirm}>
            Confirm…
          </Button>
        )}
      </div>
      <Callout kind="error">
        {withdrawing.isError ? toErrorMessage(withdrawing.error) : null}
      </Callout>
    </div>
  );
}

function toRejectionText(
  refusal: NonNullable<CaseUnmasking['refusal']>,
  switchedOnAt: string | null,
) {
  switch (refusal) {
    case 'off':
      return 'Switched off. The server’s setting UNMASKING=on switches it on, and only for people who write their first message in a class after that. Members are told.';
    case 'too-old':
      return `Unmasking is switched on since ${formatPastDay(switchedOnAt ?? '')}. This person wrote in the class before, or cannot be shown not to have. They can never be unmasked there.`;
    case 'ended':
      return 'The class has ended, so no one can find the account any more.';
  }
}

function renderOutcome({ state, requestedBy, closedBy }: UnmaskingRequest): ReactNode {
  const requester = <bdi>{requestedBy}</bdi>;
  const closer = <bdi>{closedBy}</bdi>;
  switch (state) {
    case 'expired':
      return <>Expired: {requester} asked, and no one confirmed it in time</>;
    case 'withdrawn':
      return (
        <>
          Withdrawn by {closer}: {requester} asked
        </>
      );
    case 'used':
      return (
        <>
          Used: {requester} asked, {closer} confirmed and saw the address
        </>
      );
    case 'impossible':
      return (
        <>
          Impossible: {requester} asked, {closer} confirmed, and no account was found
        </>
      );
    case 'open':
      return null;
  }
}
