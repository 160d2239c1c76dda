// The limit of each call and each frame, in addition to the limits on all calls and on all frames.
import type { RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';
import type { RateName } from './rates.ts';

/** Counted per account, or per network if the call is public. */
export const rateOfCall: Partial<Record<RouteName, RateName>> = {
  signUp: 'signUps',
  requestPasswordReset: 'resets',
  exportAccount: 'exports',
  createClass: 'newClasses',
  joinClass: 'memberships',
  leaveClass: 'memberships',
  changePersona: 'edits',
  listMessages: 'historyPages',
  listMembers: 'historyPages',
  uploadImage: 'uploads',
};

export const rateOfFrame: Record<ClientFrame['type'], RateName | null> = {
  subscribe: 'subscriptions',
  unsubscribe: null,
  post: 'posts',
  edit: 'edits',
  delete: 'deletes',
  react: 'reactions',
  read: 'readMarks',
  // The hub limits its own typing notices (LIMIT-44).
  typing: null,
};
