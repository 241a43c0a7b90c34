// Every named operation of the service: what the SQLite workers look names up in.
import {
  createAccount,
  createFirstAccount,
  createFirstToken,
  setAccount,
} from './access/account-store.ts';
import { countCall } from './access/daily-limit.ts';
import { createManager, removeManager, renameManager } from './access/manager-store.ts';
import { createToken, revokeToken } from './access/token-store.ts';
import { sessionPage, visitorPage } from './audience/audience-page.ts';
import {
  countShare,
  creditAudience,
  enterSessions,
  eraseViewer,
  renameViewer,
} from './audience/audience-store.ts';
import { exportRange, exportRows } from './audience/export-store.ts';
import {
  changePage,
  createChannel,
  listChannels,
  renameChannel,
  rotateKey,
} from './channels/channel-store.ts';
import { addMessage, removeMessages, setChatOpen, silence, unsilence } from './chat/chat-store.ts';
import { messagesBefore, removeMessagesOf } from './chat/moderation-store.ts';
import { probe } from './db/probe.ts';
import type { AnyOperation } from './db/sql.ts';
import {
  claimJob,
  failJob,
  finishJob,
  listJobs,
  releaseJob,
  releaseNode,
  renewLease,
  retryJob,
} from './jobs/job-store.ts';
import { endLive, keepLive, startLive } from './live/live-store.ts';
import { allowNetwork, disallowNetwork, listNetworks } from './peers/network-store.ts';
import { keepRefusals, listRefusals } from './peers/refusal-store.ts';
import { truncateOldAddresses } from './privacy/address-retention.ts';
import {
  removeOldMessages,
  removeOldSessions,
  removeOldSilences,
} from './privacy/record-retention.ts';
import { findOld } from './privacy/retention.ts';
import { channelsOfViewer, rowsOfViewer } from './privacy/viewer-data.ts';
import { eraseViewerData } from './privacy/viewer-erasure.ts';
import {
  addMade,
  addRecording,
  oldRecordings,
  recordedBytes,
  removeRecording,
} from './recording/recording-store.ts';
import { addVideos, listVideos } from './videos/video-store.ts';
import { takeServiceSecret } from './viewers/secret-store.ts';

export const operations: readonly AnyOperation[] = [
  probe,
  createAccount,
  createFirstAccount,
  createFirstToken,
  setAccount,
  createManager,
  renameManager,
  removeManager,
  createToken,
  revokeToken,
  countCall,
  listChannels,
  createChannel,
  renameChannel,
  changePage,
  rotateKey,
  startLive,
  endLive,
  keepLive,
  addRecording,
  addMade,
  oldRecordings,
  recordedBytes,
  removeRecording,
  claimJob,
  renewLease,
  finishJob,
  failJob,
  releaseJob,
  releaseNode,
  retryJob,
  listJobs,
  listVideos,
  sessionPage,
  visitorPage,
  enterSessions,
  creditAudience,
  countShare,
  renameViewer,
  eraseViewer,
  exportRange,
  exportRows,
  findOld,
  removeOldSessions,
  removeOldMessages,
  removeOldSilences,
  truncateOldAddresses,
  channelsOfViewer,
  rowsOfViewer,
  eraseViewerData,
  addMessage,
  removeMessages,
  messagesBefore,
  removeMessagesOf,
  silence,
  unsilence,
  setChatOpen,
  takeServiceSecret,
  addVideos,
  allowNetwork,
  disallowNetwork,
  listNetworks,
  keepRefusals,
  listRefusals,
];
