// Which limit each call and each frame counts against, beside that of all calls and of all frames.
import type { RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';
import type { RateName } from './rates.ts';

/** By account, or by network where the call is open to all. */
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
  // Each connection says it once a second at most.
  typing: null,
};
