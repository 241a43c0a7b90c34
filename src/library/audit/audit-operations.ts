// Every operation that the audit log has, and to which group of things each belongs.

/** What the log can be narrowed to. */
export const auditGroups = [
  'channels',
  'videos',
  'chat',
  'exports',
  'viewers',
  'people',
  'managers',
  'tokens',
  'webhooks',
  'account',
  'sign_in',
  'service',
] as const;
export type AuditGroup = (typeof auditGroups)[number];

/**
 * That an operation is audited follows from its line in the route table; a test holds this list against the whole
 * table, and the console's sentences against this list.
 */
export const auditedOperations = {
  createChannel: 'channels',
  renameChannel: 'channels',
  changeChannelPage: 'channels',
  rotatePublishKey: 'channels',
  deleteChannel: 'channels',
  restoreChannel: 'channels',
  setChannelAccess: 'channels',
  revokeChannelPasses: 'channels',
  makeChannelPlayLink: 'channels',
  makeChannelCodes: 'channels',
  uploadImage: 'channels',
  renameVideo: 'videos',
  retryVideo: 'videos',
  deleteVideo: 'videos',
  restoreVideo: 'videos',
  setVideoAccess: 'videos',
  revokeVideoPasses: 'videos',
  makeVideoPlayLink: 'videos',
  makeVideoCodes: 'videos',
  setCaptions: 'videos',
  removeCaptions: 'videos',
  makeClip: 'videos',
  beginUpload: 'videos',
  continueUpload: 'videos',
  endUpload: 'videos',
  retryJob: 'videos',
  sayInChat: 'chat',
  pinChatMessage: 'chat',
  unpinChatMessage: 'chat',
  removeChatMessages: 'chat',
  openChat: 'chat',
  closeChat: 'chat',
  slowChat: 'chat',
  muteViewer: 'chat',
  banViewer: 'chat',
  liftSilence: 'chat',
  exportSessionsCsv: 'exports',
  exportVisitorsCsv: 'exports',
  exportChannelRegistrationsCsv: 'exports',
  exportChannelRegistrationsNdjson: 'exports',
  exportVideoRegistrationsCsv: 'exports',
  exportVideoRegistrationsNdjson: 'exports',
  exportSessionsNdjson: 'exports',
  exportVisitorsNdjson: 'exports',
  exportShowPeople: 'exports',
  exportShowPeopleNdjson: 'exports',
  exportAudit: 'exports',
  exportViewer: 'viewers',
  eraseViewer: 'viewers',
  getViewerSecret: 'viewers',
  rotateViewerSecret: 'viewers',
  invitePerson: 'people',
  withdrawInvitation: 'people',
  resetPerson: 'people',
  removePerson: 'people',
  endPersonSessions: 'people',
  changeMe: 'people',
  endMySession: 'people',
  endMyOtherSessions: 'people',
  createManager: 'managers',
  renameManager: 'managers',
  removeManager: 'managers',
  createToken: 'tokens',
  changeToken: 'tokens',
  revokeToken: 'tokens',
  createWebhook: 'webhooks',
  changeWebhook: 'webhooks',
  deleteWebhook: 'webhooks',
  rotateWebhookSecret: 'webhooks',
  testWebhook: 'webhooks',
  resendDelivery: 'webhooks',
  resendDeliveries: 'webhooks',
  changeAccount: 'account',
  signIn: 'sign_in',
  signOut: 'sign_in',
  useLink: 'sign_in',
} as const satisfies Record<string, AuditGroup>;

export type AuditedOperation = keyof typeof auditedOperations;

/** Somebody gave a wrong password for a person's name. No write, so no line of the table. */
export const refusedSignIn = 'refusedSignIn';

/** What a row's `operation` may be, besides the names of commands. */
export type AuditEvent = AuditedOperation | typeof refusedSignIn;

/** An operation that the list does not have is found by the test; its rows are not lost meanwhile. */
export function groupOfOperation(operationId: string): AuditGroup {
  return isListed(operationId) ? auditedOperations[operationId] : 'service';
}

function isListed(operationId: string): operationId is AuditedOperation {
  return operationId in auditedOperations;
}
