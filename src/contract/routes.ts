/**
 * Every HTTP call by name. The schemas are elsewhere, so that the browser bundle needs no validator.
 */
export const routes = {
  signUp: { method: 'POST', path: '/api/auth/sign-up/email' },
  signIn: { method: 'POST', path: '/api/auth/sign-in/email' },
  signOut: { method: 'POST', path: '/api/auth/sign-out' },
  requestPasswordReset: { method: 'POST', path: '/api/auth/request-password-reset' },
  resetPassword: { method: 'POST', path: '/api/auth/reset-password' },
  verifyEmail: { method: 'POST', path: '/api/auth/verify-email' },
  me: { method: 'GET', path: '/api/me' },
  listDevices: { method: 'GET', path: '/api/me/devices' },
  signOutOtherDevices: { method: 'DELETE', path: '/api/me/devices' },
  signOutDevice: { method: 'DELETE', path: '/api/me/devices/:deviceId' },
  changePassword: { method: 'PUT', path: '/api/me/password' },
  exportAccount: { method: 'GET', path: '/api/me/export' },
  deleteAccount: { method: 'POST', path: '/api/me/deletion' },
  listClasses: { method: 'GET', path: '/api/classes' },
  createClass: { method: 'POST', path: '/api/classes' },
  readClass: { method: 'GET', path: '/api/classes/:classId' },
  listMembers: { method: 'GET', path: '/api/classes/:classId/members' },
  changePersona: { method: 'PATCH', path: '/api/classes/:classId/persona' },
  joinClass: { method: 'PUT', path: '/api/classes/:classId/membership' },
  leaveClass: { method: 'DELETE', path: '/api/classes/:classId/membership' },
  listMessages: { method: 'GET', path: '/api/classes/:classId/messages' },
  /** The body is only the bytes of the file, so the browser sends no file name. */
  uploadImage: { method: 'POST', path: '/api/classes/:classId/images' },
  deleteImage: { method: 'DELETE', path: '/api/classes/:classId/images/:imageId' },
  schoolTheme: { method: 'GET', path: '/api/school-themes/:key' },
  searchAccess: { method: 'GET', path: '/api/search-access' },
  searchClasses: { method: 'POST', path: '/1/indexes/*/queries' },
} as const satisfies Record<string, { method: string; path: `/${string}` }>;

export type RouteName = keyof typeof routes;
