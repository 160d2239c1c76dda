// The work that the worst inputs of each call and frame may cause (LIMIT-56): the largest of each figure, in the state of
// `stage.ts`, with a margin for work in the background. To change a row, say why in the commit.
import type { OperationName } from './stage.ts';

export const figures = [
  'statements',
  /** The rows that SQLite returns. */
  'rowsRead',
  'rowsWritten',
  'kilobytesWritten',
  /** The reply, and the frames to the student and to one other member. */
  'kilobytesSent',
  'frames',
  'mails',
  'files',
] as const;
export type Figures = Record<(typeof figures)[number], number>;

export interface Bound extends Figures {
  /** One of the answers, so that the figures are not those of a rejection. */
  answer: string;
}

type Row = readonly number[] & { length: 8 };

function createBound(answer: string, row: Row): Bound {
  const entries = figures.map((figure, n) => [figure, row[n] ?? 0]);
  return { answer, ...(Object.fromEntries(entries) as Figures) };
}

/** Statements, rows read, rows written, kilobytes written, kilobytes sent, frames, mails, files. */
export const bounds: Record<OperationName, Bound> = {
  subscribe: createBound('ack', [18, 1300, 4, 1, 50, 4, 0, 0]),
  post: createBound('ack', [30, 100, 40, 9, 60, 6, 0, 0]),
  edit: createBound('ack', [30, 100, 40, 9, 60, 6, 0, 0]),
  react: createBound('ack', [30, 14, 8, 3, 3, 6, 0, 0]),
  read: createBound('sent', [8, 8, 4, 1, 3, 3, 0, 0]),
  typing: createBound('sent', [8, 8, 4, 1, 3, 4, 0, 0]),
  viewing: createBound('sent', [8, 8, 4, 1, 1, 2, 0, 0]),
  signUp: createBound('200', [30, 14, 10, 3, 3, 2, 0, 0]),
  signIn: createBound('200', [16, 140, 6, 3, 3, 2, 0, 0]),
  requestPasswordReset: createBound('200', [30, 11, 7, 8, 3, 2, 1, 0]),
  resetPassword: createBound('200', [16, 70, 70, 3, 3, 2, 0, 0]),
  verifyEmail: createBound('200', [17, 70, 70, 1, 3, 2, 0, 0]),
  startSignOn: createBound('200', [12, 8, 6, 3, 3, 2, 0, 0]),
  finishSignOn: createBound('200', [18, 8, 4, 1, 3, 2, 0, 0]),
  mailSignOnLink: createBound('200', [8, 8, 4, 8, 3, 2, 1, 0]),
  joinSignOn: createBound('200', [30, 140, 70, 1, 3, 2, 0, 0]),
  me: createBound('200', [16, 14, 4, 1, 3, 2, 0, 0]),
  listDevices: createBound('200', [14, 130, 4, 1, 9, 2, 0, 0]),
  readNotifications: createBound('200', [12, 310, 4, 1, 13, 2, 0, 0]),
  saveNotifications: createBound('200', [14, 10, 6, 3, 3, 2, 0, 0]),
  saveDigest: createBound('200', [14, 10, 4, 3, 3, 2, 0, 0]),
  subscribePush: createBound('200', [12, 8, 6, 4, 3, 2, 0, 0]),
  listOwnSanctions: createBound('200', [11, 10, 4, 1, 3, 2, 0, 0]),
  appeal: createBound('200', [12, 8, 4, 9, 3, 2, 0, 0]),
  exportAccount: createBound('200', [1100, 2700, 6, 3, 9700, 2, 0, 0]),
  listClasses: createBound('200', [14, 260, 4, 1, 70, 2, 0, 0]),
  createClass: createBound('200', [30, 250, 10, 3, 3, 4, 0, 0]),
  readClass: createBound('200', [14, 11, 4, 1, 3, 2, 0, 0]),
  listMembers: createBound('200', [11, 65, 4, 1, 5, 2, 0, 0]),
  changePersona: createBound('200', [19, 11, 8, 3, 3, 5, 0, 0]),
  readPreferences: createBound('200', [10, 10, 4, 1, 30, 2, 0, 0]),
  savePreferences: createBound('200', [15, 11, 6, 120, 90, 4, 0, 0]),
  chooseNotifications: createBound('200', [16, 10, 6, 3, 3, 2, 0, 0]),
  readClassSettings: createBound('200', [11, 10, 4, 1, 3, 2, 0, 0]),
  changeClassSettings: createBound('200', [40, 30, 10, 14, 50, 5, 0, 0]),
  joinClass: createBound('200', [19, 14, 4, 3, 3, 4, 0, 0]),
  listMessages: createBound('200', [30, 180, 4, 1, 90, 2, 0, 0]),
  searchMessages: createBound('200', [30, 300, 6, 3, 200, 2, 0, 0]),
  listPictures: createBound('200', [11, 15, 4, 1, 45, 2, 0, 0]),
  uploadImage: createBound('200', [40, 19, 8, 3, 3, 2, 0, 2]),
  reportMember: createBound('200', [30, 18, 8, 10, 3, 2, 0, 0]),
  listOwnReports: createBound('200', [35, 60, 4, 1, 3, 2, 0, 0]),
  listCases: createBound('200', [20, 180, 4, 1, 75, 2, 0, 0]),
  readCaseContext: createBound('200', [30, 60, 4, 1, 120, 2, 0, 0]),
  decideCase: createBound('200', [40, 40, 6, 3, 11, 2, 0, 0]),
  decideReview: createBound('200', [40, 60, 4, 3, 9, 2, 0, 0]),
  liftSuspension: createBound('200', [17, 15, 4, 10, 3, 2, 0, 0]),
  readModeratedMember: createBound('200', [16, 15, 4, 1, 3, 2, 0, 0]),
  liftSanction: createBound('200', [22, 16, 4, 3, 3, 2, 0, 0]),
  listGrantedRoles: createBound('200', [11, 11, 4, 1, 3, 2, 0, 0]),
  grantRole: createBound('200', [30, 19, 10, 3, 3, 2, 0, 0]),
  listAuditLog: createBound('200', [11, 50, 4, 1, 70, 2, 0, 0]),
  readOverview: createBound('200', [30, 340, 4, 1, 4, 2, 0, 0]),
  readSettingsInForce: createBound('200', [10, 10, 4, 1, 12, 2, 0, 0]),
  listAllClasses: createBound('200', [30, 30, 4, 1, 3, 4, 0, 0]),
  editClass: createBound('200', [30, 15, 11, 3, 3, 2, 0, 0]),
  previewMerge: createBound('200', [15, 14, 4, 1, 3, 2, 0, 0]),
  importClasses: createBound('200', [150, 90, 8, 3, 3, 2, 0, 0]),
  findAccount: createBound('200', [20, 70, 6, 3, 3, 2, 0, 0]),
  resendVerification: createBound('200', [18, 12, 7, 8, 3, 2, 1, 0]),
  sendResetLink: createBound('200', [19, 12, 8, 8, 3, 2, 1, 0]),
  exportFoundAccount: createBound('200', [20, 70, 6, 3, 3, 2, 0, 0]),
  listAnnouncements: createBound('200', [11, 10, 4, 1, 3, 2, 0, 0]),
  announce: createBound('200', [30, 15, 8, 4, 3, 2, 0, 0]),
  readSiteTransparency: createBound('200', [11, 10, 4, 1, 3, 2, 0, 0]),
  readClassTransparency: createBound('200', [40, 45, 4, 1, 8, 8, 0, 0]),
  listUnmaskings: createBound('200', [11, 10, 4, 1, 3, 2, 0, 0]),
  readUnmasking: createBound('200', [19, 18, 4, 1, 3, 2, 0, 0]),
  requestUnmasking: createBound('200', [80, 90, 8, 13, 9, 7, 2, 0]),
  confirmUnmasking: createBound('200', [50, 110, 4, 1, 3, 2, 0, 0]),
  countInterfaceError: createBound('200', [16, 8, 8, 3, 3, 2, 0, 0]),
  schoolTheme: createBound('200', [8, 8, 4, 1, 3, 2, 0, 0]),
  // Only a site with a hosted search accepts it, and that one has none of its own.
  searchAccess: createBound('NOT_FOUND', [8, 8, 4, 1, 3, 2, 0, 0]),
  searchClasses: createBound('200', [10, 12, 4, 1, 310, 4, 0, 0]),
  unsubscribe: createBound('sent', [8, 8, 4, 1, 1, 2, 0, 0]),
  delete: createBound('ack', [30, 40, 40, 3, 3, 5, 0, 0]),
  signOutOtherDevices: createBound('200', [16, 110, 65, 3, 3, 2, 0, 0]),
  signOutDevice: createBound('200', [16, 11, 4, 3, 3, 2, 0, 0]),
  unsubscribePush: createBound('200', [15, 11, 6, 3, 3, 2, 0, 0]),
  changePassword: createBound('200', [16, 10, 6, 3, 3, 2, 0, 0]),
  leaveClass: createBound('200', [18, 12, 7, 110, 3, 4, 0, 0]),
  deleteImage: createBound('200', [20, 11, 7, 3, 3, 2, 0, 0]),
  undoDecision: createBound('200', [40, 40, 6, 3, 9, 4, 0, 0]),
  undoReview: createBound('200', [30, 25, 4, 3, 7, 2, 0, 0]),
  revokeRole: createBound('200', [21, 21, 4, 3, 3, 2, 0, 0]),
  mergeClass: createBound('200', [50, 30, 16, 3, 3, 2, 0, 0]),
  endClass: createBound('200', [30, 15, 12, 3, 3, 2, 0, 0]),
  reopenClass: createBound('200', [30, 16, 12, 3, 3, 2, 0, 0]),
  deleteClass: createBound('200', [30, 15, 11, 3, 3, 2, 0, 0]),
  restoreClass: createBound('200', [30, 16, 11, 3, 3, 2, 0, 0]),
  correctAddress: createBound('200', [19, 12, 7, 8, 3, 2, 1, 0]),
  endAccountSessions: createBound('200', [40, 100, 70, 8, 3, 2, 1, 0]),
  withdrawAnnouncement: createBound('200', [30, 14, 8, 3, 3, 2, 0, 0]),
  withdrawUnmasking: createBound('200', [40, 40, 8, 3, 4, 4, 0, 0]),
  unsubscribeDigest: createBound('200', [40, 50, 4, 1, 3, 6, 0, 0]),
  signOut: createBound('200', [30, 12, 7, 3, 3, 2, 0, 0]),
  deleteAccount: createBound('200', [2000, 1300, 520, 11000, 3, 6, 0, 0]),
  endTerm: createBound('200', [470, 320, 160, 12, 3, 2, 0, 0]),
  deleteFoundAccount: createBound('200', [1000, 1300, 11, 130, 3, 2, 1, 0]),
};
