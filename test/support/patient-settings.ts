// What a service under test is told, so that a machine that stood still is nobody's fault: who tests a wait sets it.
import { processPatience } from './machine-pace.ts';

export const patientSettings = {
  ...processPatience,
  HTTP_BODY_MS: '60000',
  EXPORT_STALL_MS: '60000',
  RTMP_START_MS: '60000',
  RTMP_SILENCE_MS: '60000',
  RTMP_UNREAD_MS: '60000',
};
