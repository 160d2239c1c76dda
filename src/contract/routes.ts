// The addresses of the server. The schemas are elsewhere, so that the browser bundle needs no validator.

/** Every HTTP call by name. */
export const routes = {
  signUp: { method: 'POST', path: '/api/auth/sign-up/email' },
  signIn: { method: 'POST', path: '/api/auth/sign-in/email' },
  signOut: { method: 'POST', path: '/api/auth/sign-out' },
  requestPasswordReset: { method: 'POST', path: '/api/auth/request-password-reset' },
  resetPassword: { method: 'POST', path: '/api/auth/reset-password' },
  verifyEmail: { method: 'POST', path: '/api/auth/verify-email' },
  startSignOn: { method: 'POST', path: '/api/auth/sign-on' },
  finishSignOn: { method: 'POST', path: '/api/auth/sign-on/finish' },
  mailSignOnLink: { method: 'POST', path: '/api/auth/sign-on/link' },
  joinSignOn: { method: 'POST', path: '/api/auth/sign-on/join' },
  me: { method: 'GET', path: '/api/me' },
  listDevices: { method: 'GET', path: '/api/me/devices' },
  signOutOtherDevices: { method: 'DELETE', path: '/api/me/devices' },
  signOutDevice: { method: 'DELETE', path: '/api/me/devices/:deviceId' },
  readNotifications: { method: 'GET', path: '/api/me/notifications' },
  saveNotifications: { method: 'PUT', path: '/api/me/notifications' },
  saveDigest: { method: 'PUT', path: '/api/me/notifications/digest' },
  subscribePush: { method: 'PUT', path: '/api/me/notifications/subscription' },
  unsubscribePush: { method: 'DELETE', path: '/api/me/notifications/subscription' },
  changePassword: { method: 'PUT', path: '/api/me/password' },
  listOwnSanctions: { method: 'GET', path: '/api/me/sanctions' },
  appeal: { method: 'POST', path: '/api/me/sanctions/:sanctionId/appeal' },
  exportAccount: { method: 'GET', path: '/api/me/export' },
  deleteAccount: { method: 'POST', path: '/api/me/deletion' },
  listClasses: { method: 'GET', path: '/api/classes' },
  createClass: { method: 'POST', path: '/api/classes' },
  readClass: { method: 'GET', path: '/api/classes/:classId' },
  listMembers: { method: 'GET', path: '/api/classes/:classId/members' },
  changePersona: { method: 'PATCH', path: '/api/classes/:classId/persona' },
  readPreferences: { method: 'GET', path: '/api/classes/:classId/preferences' },
  savePreferences: { method: 'PUT', path: '/api/classes/:classId/preferences' },
  chooseNotifications: { method: 'PUT', path: '/api/classes/:classId/notifications' },
  readClassSettings: { method: 'GET', path: '/api/classes/:classId/settings' },
  changeClassSettings: { method: 'PATCH', path: '/api/classes/:classId/settings' },
  joinClass: { method: 'PUT', path: '/api/classes/:classId/membership' },
  leaveClass: { method: 'DELETE', path: '/api/classes/:classId/membership' },
  listMessages: { method: 'GET', path: '/api/classes/:classId/messages' },
  searchMessages: { method: 'GET', path: '/api/classes/:classId/messages/search' },
  listQuestions: { method: 'GET', path: '/api/classes/:classId/questions' },
  readPoll: { method: 'GET', path: '/api/classes/:classId/polls/:messageId' },
  closePoll: { method: 'POST', path: '/api/classes/:classId/polls/:messageId/closing' },
  startLecture: { method: 'POST', path: '/api/classes/:classId/lecture' },
  endLecture: { method: 'DELETE', path: '/api/classes/:classId/lecture' },
  holdQuestions: { method: 'PUT', path: '/api/classes/:classId/lecture/hold' },
  listWaitingQuestions: { method: 'GET', path: '/api/classes/:classId/lecture/waiting' },
  releaseQuestion: { method: 'POST', path: '/api/classes/:classId/lecture/waiting/:messageId' },
  returnQuestion: { method: 'DELETE', path: '/api/classes/:classId/lecture/waiting/:messageId' },
  listOwnWaiting: { method: 'GET', path: '/api/classes/:classId/waiting' },
  sendWaiting: { method: 'POST', path: '/api/classes/:classId/waiting/:messageId' },
  withdrawWaiting: { method: 'DELETE', path: '/api/classes/:classId/waiting/:messageId' },
  listLectureQuestions: { method: 'GET', path: '/api/classes/:classId/lecture/questions' },
  createPresenterLink: { method: 'POST', path: '/api/classes/:classId/lecture/links' },
  revokePresenterLinks: { method: 'DELETE', path: '/api/classes/:classId/lecture/links' },
  presentPoll: { method: 'PUT', path: '/api/classes/:classId/lecture/poll' },
  readPresentation: { method: 'GET', path: '/api/presentation' },
  listPictures: { method: 'GET', path: '/api/classes/:classId/images' },
  /** The body is only the bytes of the file, so the browser sends no file name. */
  uploadImage: { method: 'POST', path: '/api/classes/:classId/images' },
  deleteImage: { method: 'DELETE', path: '/api/classes/:classId/images/:imageId' },
  reportMember: { method: 'POST', path: '/api/classes/:classId/reports' },
  listOwnDecisions: { method: 'GET', path: '/api/decisions' },
  listOwnReports: { method: 'GET', path: '/api/classes/:classId/reports' },
  listCases: { method: 'GET', path: '/api/moderation/cases' },
  readCaseContext: { method: 'GET', path: '/api/moderation/cases/:caseId/context' },
  decideCase: { method: 'POST', path: '/api/moderation/cases/:caseId/decision' },
  undoDecision: { method: 'DELETE', path: '/api/moderation/cases/:caseId/decision' },
  decideReview: { method: 'POST', path: '/api/moderation/reviews/:reviewId/decision' },
  undoReview: { method: 'DELETE', path: '/api/moderation/reviews/:reviewId/decision' },
  liftSuspension: { method: 'DELETE', path: '/api/moderation/suspensions/:suspensionId' },
  readModeratedMember: { method: 'GET', path: '/api/moderation/members/:classId/:memberId' },
  liftSanction: {
    method: 'DELETE',
    path: '/api/moderation/members/:classId/:memberId/sanctions/:sanctionId',
  },
  readWaitingWork: { method: 'GET', path: '/api/moderation/work' },
  listGrantedRoles: { method: 'GET', path: '/api/moderation/roles' },
  grantRole: { method: 'POST', path: '/api/moderation/roles' },
  revokeRole: { method: 'DELETE', path: '/api/moderation/roles/:roleId' },
  listAuditLog: { method: 'GET', path: '/api/moderation/audit' },
  readOverview: { method: 'GET', path: '/api/admin/overview' },
  readSettingsInForce: { method: 'GET', path: '/api/admin/settings' },
  listAllClasses: { method: 'GET', path: '/api/admin/classes' },
  editClass: { method: 'PATCH', path: '/api/admin/classes/:classId' },
  previewMerge: { method: 'GET', path: '/api/admin/classes/:classId/merge' },
  mergeClass: { method: 'POST', path: '/api/admin/classes/:classId/merge' },
  endClass: { method: 'POST', path: '/api/admin/classes/:classId/end' },
  reopenClass: { method: 'POST', path: '/api/admin/classes/:classId/reopen' },
  deleteClass: { method: 'DELETE', path: '/api/admin/classes/:classId' },
  restoreClass: { method: 'POST', path: '/api/admin/classes/:classId/restore' },
  importClasses: { method: 'POST', path: '/api/admin/imports' },
  endTerm: { method: 'POST', path: '/api/admin/terms/end' },
  reopenTerm: { method: 'POST', path: '/api/admin/terms/reopen' },
  // The address is in the body: proxies log paths.
  findAccount: { method: 'POST', path: '/api/admin/accounts/search' },
  resendVerification: { method: 'POST', path: '/api/admin/accounts/verification' },
  sendResetLink: { method: 'POST', path: '/api/admin/accounts/reset-link' },
  correctAddress: { method: 'POST', path: '/api/admin/accounts/address' },
  endAccountSessions: { method: 'POST', path: '/api/admin/accounts/sessions/end' },
  exportFoundAccount: { method: 'POST', path: '/api/admin/accounts/export' },
  deleteFoundAccount: { method: 'POST', path: '/api/admin/accounts/deletion' },
  listBlockedAddresses: { method: 'GET', path: '/api/admin/blocked-addresses' },
  blockAddress: { method: 'POST', path: '/api/admin/blocked-addresses' },
  unblockAddress: { method: 'DELETE', path: '/api/admin/blocked-addresses/:blockId' },
  listAnnouncements: { method: 'GET', path: '/api/admin/announcements' },
  announce: { method: 'POST', path: '/api/admin/announcements' },
  withdrawAnnouncement: { method: 'DELETE', path: '/api/admin/announcements/:announcementId' },
  readSiteTransparency: { method: 'GET', path: '/api/openness' },
  readClassTransparency: { method: 'GET', path: '/api/classes/:classId/openness' },
  listUnmaskings: { method: 'GET', path: '/api/moderation/unmaskings' },
  readUnmasking: { method: 'GET', path: '/api/moderation/cases/:caseId/unmaskings' },
  requestUnmasking: { method: 'POST', path: '/api/moderation/cases/:caseId/unmaskings' },
  confirmUnmasking: { method: 'POST', path: '/api/moderation/unmaskings/:requestId/confirmation' },
  withdrawUnmasking: { method: 'DELETE', path: '/api/moderation/unmaskings/:requestId' },
  /** Mail programs send this POST without a page of the app (RFC 8058). A GET of the same address shows a button. */
  unsubscribeDigest: { method: 'POST', path: '/unsubscribe' },
  /** Has no body: the server learns only that a page had an exception. */
  countInterfaceError: { method: 'POST', path: '/api/interface-errors' },
  schoolTheme: { method: 'GET', path: '/api/school-themes/:key' },
  searchAccess: { method: 'GET', path: '/api/search-access' },
  searchClasses: { method: 'POST', path: '/1/indexes/*/queries' },
} as const satisfies Record<string, { method: string; path: `/${string}` }>;

export type RouteName = keyof typeof routes;

interface UrlParts {
  params?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
}

/** Builds the path and query of one call. Undefined query values are omitted. */
export function toRouteUrl(name: RouteName, { params = {}, query = {} }: UrlParts): string {
  const path = routes[name].path.replace(/:(\w+)/g, (_, param: string) =>
    encodeURIComponent((params[param] ?? '').toWellFormed()),
  );
  const search = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value).toWellFormed())}`);
  return search.length > 0 ? `${path}?${search.join('&')}` : path;
}

/** The path prefix of all pictures. Only members of a picture's class can load it. */
export const imagesPath = '/images/'; // SEND-18

/** The path prefix of pictures in evidence. Only moderators of the case's class can load them. */
export const evidencePath = '/images/cases/'; // MOD-9
