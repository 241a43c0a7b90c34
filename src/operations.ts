// Every named operation of the service: what the SQLite workers look names up in.
import {
  addMessage,
  removeMessages,
  setChatOpen,
  setChatSlow,
  silence,
  unsilence,
} from './audience/chat/chat-store.ts';
import { pinMessage, sayAsHost, unpinMessage } from './audience/chat/host-store.ts';
import { messagesBefore, removeMessagesOf } from './audience/chat/moderation-store.ts';
import { truncateOldAddresses } from './audience/privacy/address-retention-store.ts';
import {
  removeOldMessages,
  removeOldRegistrations,
  removeOldSessions,
  removeOldShares,
  removeOldSilences,
} from './audience/privacy/record-retention-store.ts';
import { findOld } from './audience/privacy/retention-store.ts';
import {
  eraseViewerData,
  listedRowsOfViewer,
  rowsOfViewer,
  tracesOfViewer,
} from './audience/privacy/viewer-data-store.ts';
import { sessionPage, visitorPage } from './audience/records/audience-page-store.ts';
import { searchVisitors, sessionsOfViewers } from './audience/records/audience-search-store.ts';
import {
  countShare,
  creditAudience,
  enterSessions,
  eraseViewer,
  renameViewer,
} from './audience/records/audience-store.ts';
import { exportRange, exportRows } from './audience/records/export-store.ts';
import { endSessions, heldSessions } from './audience/records/session-end-store.ts';
import { visitorAnswers } from './audience/records/visitor-answers.ts';
import { readMarkPiece, readMarks } from './audience/reports/show-marks-store.ts';
import {
  findSessions,
  findShow,
  keepFigures,
  listShows,
  noteRemoval,
  readPiece,
  readTimeline,
  tellShow,
} from './audience/reports/show-report-store.ts';
import { readViewerVisits } from './audience/reports/viewer-visits-store.ts';
import { rotateViewerSecret } from './audience/viewers/viewer-secret-store.ts';
import { readDoneSteps } from './base/db/database-state.ts';
import { probe } from './base/db/probe.ts';
import { takeServiceSecret } from './base/db/service-secret-store.ts';
import type { AnyOperation } from './base/db/sql.ts';
import { rotateLinkSecret, takeLinkSecrets } from './base/links/link-secret-store.ts';
import { drainNode, joinNodes, leaveNodes, renewNode } from './base/nodes/node-store.ts';
import { allowNetwork, disallowNetwork, listNetworks } from './base/peers/network-store.ts';
import { keepRefusals, listRefusals } from './base/peers/refusal-store.ts';
import { channelsOnNodes, pushesByNode } from './control/node-pushes-store.ts';
import {
  createAccount,
  createFirstAccount,
  createFirstToken,
  setAccount,
} from './library/access/account-store.ts';
import { countCall } from './library/access/daily-limit-store.ts';
import { createManager, removeManager, renameManager } from './library/access/manager-store.ts';
import { changeToken, createToken, revokeToken, useTokens } from './library/access/token-store.ts';
import { storageUse } from './library/account/storage-store.ts';
import { listCodes, useCode } from './library/admission/access-key-store.ts';
import { endPasses, makeCodes, setAdmission } from './library/admission/admission-store.ts';
import {
  answeredNames,
  listRegistrations,
  register,
  registrationsAfter,
} from './library/admission/registration-store.ts';
import {
  addNote,
  lookThrough,
  notedOperation,
  noteRefusedSignIn,
  sweepAudit,
} from './library/audit/audit-store.ts';
import {
  captionsTextOf,
  keptCaptionsOf,
  readCaptions,
  removeCaptions,
  setCaptions,
} from './library/captions/captions-store.ts';
import { listByState } from './library/channels/channel-list-store.ts';
import {
  changePage,
  createChannel,
  listChannels,
  renameChannel,
  rotateKey,
} from './library/channels/channel-store.ts';
import {
  goneChannels,
  hasChannelRows,
  letChannelsGo,
  removeChannel,
  removeChannelRows,
} from './library/deletion/channel-removal-store.ts';
import {
  deleteChannel,
  listDeleted,
  restoreChannel,
} from './library/deletion/deleted-channel-store.ts';
import {
  deleteVideo,
  goneWithoutFiles,
  letVideosGo,
  listDeletedVideos,
  removeGoneVideo,
  removeSomeGuests,
  restoreVideo,
} from './library/deletion/deleted-video-store.ts';
import { sweepEvents } from './library/events/event-store.ts';
import {
  addImage,
  lookAtImages,
  readImageBytes,
  sweepImage,
} from './library/images/image-store.ts';
import {
  claimJob,
  failJob,
  finishJob,
  listAccountJobs,
  listJobs,
  longestDue,
  releaseJob,
  releaseNode,
  renewLease,
  retryJob,
} from './library/jobs/job-store.ts';
import {
  invitePerson,
  makeConsoleLink,
  openInvitations,
  resetPerson,
  useLink,
  withdrawInvitation,
} from './library/people/console-link-store.ts';
import {
  endOtherSessions,
  endOwnSession,
  endSession,
  startSession,
  useSession,
} from './library/people/console-session-store.ts';
import { changePerson, endPersonSessions, removePerson } from './library/people/person-store.ts';
import {
  findManaged,
  listManaged,
  renameVideo,
  retryVideo,
} from './library/videos/managed-video-store.ts';
import { addVideos, listVideos } from './library/videos/video-store.ts';
import {
  findDelivery,
  listDeliveries,
  noteTest,
  resendDelivery,
  resendSpan,
} from './library/webhooks/delivery-log-store.ts';
import { sweepDeliveries } from './library/webhooks/delivery-sweep-store.ts';
import { finishTry, laneHeads } from './library/webhooks/delivery-try-store.ts';
import { spreadEvents } from './library/webhooks/event-spread-store.ts';
import {
  freeWebhooks,
  holdWebhook,
  letGoWebhook,
  lookForWork,
} from './library/webhooks/webhook-lease-store.ts';
import { webhooksStanding } from './library/webhooks/webhook-standing-store.ts';
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
} from './library/webhooks/webhook-store.ts';
import { recordingsOfShow } from './stream/clips/clip-store.ts';
import { changeShow, endLive, endLostPush, keepLive, startLive } from './stream/live/live-store.ts';
import { pushCountOf } from './stream/live/push-holder-store.ts';
import { claimPush, letGoOfPush, lostPushes, renewPushes } from './stream/live/push-lease-store.ts';
import {
  addObjects,
  knownRecordings,
  landRecording,
  moveRecordings,
  movingRecordings,
  namedKeys,
  sealRecording,
  storageCounts,
} from './stream/recording/recorded-object-store.ts';
import {
  accountBytes,
  addMade,
  addRecording,
  goneRecordings,
  goneVideos,
  oldRecordings,
  removeRecording,
  withdrawJobs,
} from './stream/recording/recording-store.ts';
import {
  forgetSegments,
  forgetStints,
  lastNamed,
  nameSegment,
  segmentsBehind,
} from './stream/recording/segment-store.ts';
import { endedStints, sealShared } from './stream/recording/shared-recording-store.ts';
import { beginStint, endStint } from './stream/recording/stint-store.ts';
import {
  addUpload,
  beginReading,
  endUpload,
  heldUploads,
  listUploads,
  noteUpload,
  removeUpload,
  sweepUploads,
} from './stream/uploads/upload-store.ts';

/** Without their rows in the audit log. */
export const plainOperations: readonly AnyOperation[] = [
  probe,
  readDoneSteps,
  drainNode,
  joinNodes,
  pushesByNode,
  channelsOnNodes,
  renewNode,
  leaveNodes,
  claimPush,
  renewPushes,
  letGoOfPush,
  pushCountOf,
  createAccount,
  createFirstAccount,
  createFirstToken,
  setAccount,
  createManager,
  renameManager,
  removeManager,
  createToken,
  revokeToken,
  changeToken,
  useTokens,
  storageUse,
  setAdmission,
  setCaptions,
  removeCaptions,
  captionsTextOf,
  keptCaptionsOf,
  readCaptions,
  endPasses,
  makeCodes,
  listCodes,
  register,
  listRegistrations,
  registrationsAfter,
  answeredNames,
  useCode,
  rotateViewerSecret,
  countCall,
  invitePerson,
  resetPerson,
  makeConsoleLink,
  openInvitations,
  withdrawInvitation,
  useLink,
  startSession,
  useSession,
  endOwnSession,
  endSession,
  endOtherSessions,
  changePerson,
  removePerson,
  endPersonSessions,
  listChannels,
  listByState,
  createChannel,
  renameChannel,
  changePage,
  rotateKey,
  addImage,
  lookAtImages,
  readImageBytes,
  sweepImage,
  deleteChannel,
  restoreChannel,
  listDeleted,
  letChannelsGo,
  goneChannels,
  hasChannelRows,
  removeChannelRows,
  removeChannel,
  startLive,
  changeShow,
  endLive,
  keepLive,
  endLostPush,
  lostPushes,
  addRecording,
  addMade,
  oldRecordings,
  goneRecordings,
  goneVideos,
  addObjects,
  forgetSegments,
  forgetStints,
  beginStint,
  endStint,
  endedStints,
  sealShared,
  knownRecordings,
  landRecording,
  moveRecordings,
  movingRecordings,
  nameSegment,
  namedKeys,
  lastNamed,
  segmentsBehind,
  sealRecording,
  storageCounts,
  accountBytes,
  withdrawJobs,
  removeRecording,
  claimJob,
  renewLease,
  finishJob,
  failJob,
  releaseJob,
  releaseNode,
  retryJob,
  listJobs,
  longestDue,
  listAccountJobs,
  listVideos,
  listManaged,
  findManaged,
  renameVideo,
  retryVideo,
  deleteVideo,
  restoreVideo,
  listDeletedVideos,
  letVideosGo,
  goneWithoutFiles,
  removeGoneVideo,
  removeSomeGuests,
  recordingsOfShow,
  addUpload,
  listUploads,
  noteUpload,
  beginReading,
  endUpload,
  removeUpload,
  heldUploads,
  sweepUploads,
  searchVisitors,
  sessionsOfViewers,
  sessionPage,
  visitorPage,
  enterSessions,
  creditAudience,
  endSessions,
  heldSessions,
  countShare,
  renameViewer,
  eraseViewer,
  exportRange,
  visitorAnswers,
  exportRows,
  findShow,
  listShows,
  findSessions,
  readPiece,
  readTimeline,
  readViewerVisits,
  readMarkPiece,
  readMarks,
  keepFigures,
  tellShow,
  noteRemoval,
  findOld,
  removeOldSessions,
  removeOldMessages,
  removeOldRegistrations,
  removeOldShares,
  removeOldSilences,
  truncateOldAddresses,
  tracesOfViewer,
  listedRowsOfViewer,
  rowsOfViewer,
  eraseViewerData,
  addMessage,
  removeMessages,
  messagesBefore,
  removeMessagesOf,
  sayAsHost,
  pinMessage,
  unpinMessage,
  silence,
  unsilence,
  setChatOpen,
  setChatSlow,
  takeServiceSecret,
  addVideos,
  allowNetwork,
  disallowNetwork,
  listNetworks,
  takeLinkSecrets,
  rotateLinkSecret,
  keepRefusals,
  listRefusals,
  addNote,
  noteRefusedSignIn,
  lookThrough,
  sweepAudit,
  sweepEvents,
  createWebhook,
  listWebhooks,
  changeWebhook,
  rotateWebhookSecret,
  removeWebhook,
  lookForWork,
  holdWebhook,
  letGoWebhook,
  freeWebhooks,
  spreadEvents,
  laneHeads,
  finishTry,
  webhooksStanding,
  sweepDeliveries,
  listDeliveries,
  findDelivery,
  resendDelivery,
  resendSpan,
  noteTest,
];

/** Any of them with its row in the audit log, in one transaction. */
export const noted = notedOperation(plainOperations);

export const operations: readonly AnyOperation[] = [...plainOperations, noted];
