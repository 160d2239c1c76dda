import { setFactorConfirmation } from '#web/api.ts';

// The dialog is loaded when a call needs it. Without its code, the call fails.
setFactorConfirmation(() =>
  import('#web/features/second-factor/confirm-factor.tsx').then(
    ({ confirmFactor }) => confirmFactor(),
    () => false,
  ),
);
