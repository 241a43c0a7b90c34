// When each error of the catalogue comes, and what helps: the words of `/docs/errors`.
import type { ErrorName } from '../../base/api/errors.ts';

export interface ErrorHelp {
  when: string;
  remedy: string;
}

export const errorHelp: Record<ErrorName, ErrorHelp> = {
  invalid: {
    when: 'A parameter or a field cannot be understood.',
    remedy: 'Read `fields` of the answer: each says what came and what was wanted.',
  },
  missing: {
    when: 'A field that must be given is not there.',
    remedy: '`fields` names it. Add it, and send the body as JSON.',
  },
  unauthorized: {
    when: 'There is no token, or it is not known, was revoked, or has expired.',
    remedy:
      'Send `Authorization: Bearer` and the token. `npx footlight token create` makes a new one.',
  },
  wrongPassword: {
    when: 'Nobody can sign in with this user name and this password.',
    remedy:
      'Try again, or have a link for a new password made: `npx footlight person reset ID`, or `POST /manage/v1/people/{person_id}/reset`.',
  },
  noAccess: {
    when: 'The token lacks the scope of the operation.',
    remedy: 'The message names the scope. Make a token that has it.',
  },
  noPermission: {
    when: 'A manager reached for what belongs to another, or the operation is for people who have signed in.',
    remedy: 'Ask with a token of the account itself, or of the manager whose channel it is.',
  },
  foreignPage: {
    when: 'A request with the cookie of the console came from a page of another address.',
    remedy:
      'Programs use a token and send no cookie. Behind a proxy set `PUBLIC_URL` to the address that people open.',
  },
  noPath: {
    when: 'There is nothing at this address.',
    remedy: 'Compare it with the path of the operation; a slash at its end does no harm.',
  },
  noUser: {
    when: 'There is no such manager in the account.',
    remedy: '`GET /manage/v1/managers` lists them.',
  },
  noChannel: {
    when: 'The channel does not exist, was deleted, or is not the caller’s to see.',
    remedy:
      '`GET /v1/activities` lists channels, `GET /manage/v1/deleted-channels` those that can be brought back.',
  },
  noVideo: {
    when: 'The video does not exist, was deleted, or is not the caller’s to see.',
    remedy:
      '`GET /v1/videos` lists videos, `GET /manage/v1/deleted-videos` those that can be brought back.',
  },
  noShow: {
    when: 'The channel has no such show.',
    remedy: '`GET /manage/v1/channels/{channel_id}/shows` lists the shows of a channel.',
  },
  noMessage: {
    when: 'The chat has no such message; it may have been removed.',
    remedy: '`GET /manage/v1/channels/{channel_id}/chat` lists them.',
  },
  notOnAir: {
    when: 'A picture of what is on was asked for, and nothing is on.',
    remedy: 'Ask again when the channel is live.',
  },
  noViewer: {
    when: 'Nothing is known of such a viewer.',
    remedy: 'Take `user_id` of a watch record, or your own `uid` of a watch link.',
  },
  noLink: {
    when: 'A one-time link was used, is too old, or was never made.',
    remedy: 'Have another one made.',
  },
  noPerson: {
    when: 'There is no such person in the account.',
    remedy: '`GET /manage/v1/people` lists them.',
  },
  noSession: {
    when: 'The session of a browser has ended, or is another’s.',
    remedy: '`GET /manage/v1/me/sessions` lists one’s own.',
  },
  noToken: {
    when: 'The token was revoked, or is of another account.',
    remedy: '`GET /manage/v1/tokens` lists them.',
  },
  noJob: {
    when: 'There is no such job; those of a removed video go with it.',
    remedy: '`GET /manage/v1/jobs` lists them.',
  },
  noUpload: {
    when: 'The upload was ended, or nothing came of it for as long as uploads wait.',
    remedy: 'Begin anew with `POST /manage/v1/uploads`.',
  },
  noWebhook: {
    when: 'There is no such webhook in the account.',
    remedy: '`GET /manage/v1/webhooks` lists them.',
  },
  noDelivery: {
    when: 'The delivery is of another webhook, or older than the log.',
    remedy: '`GET /manage/v1/webhooks/{webhook_id}/deliveries` lists what the log has.',
  },
  noCaptions: {
    when: 'The video has no captions in that language.',
    remedy: '`GET /manage/v1/videos/{video_id}/captions` lists those that it has.',
  },
  onAir: {
    when: 'A channel is to be deleted while somebody pushes to it.',
    remedy: 'End the push, then delete it.',
  },
  noMethod: {
    when: 'The path exists, and this method does not.',
    remedy: 'The header `Allow` names those that do.',
  },
  notRecorded: {
    when: 'A clip of the last seconds was asked for, and nothing is being recorded.',
    remedy: 'Cut it from the video once there is one: send `video_id`, `from_ms` and `to_ms`.',
  },
  nothingToCut: {
    when: 'A clip lies where nothing was recorded.',
    remedy: 'Compare `from_ms` and `to_ms` with the length of the show or the video.',
  },
  noRoom: {
    when: 'The account’s recordings and pictures take all the disk space that it may have.',
    remedy: 'Delete videos, or have `ACCOUNT_DISK` raised.',
  },
  wrongOffset: {
    when: 'A piece of an upload does not begin where the last one ended.',
    remedy: 'Ask with `HEAD` from where it goes on; any client of tus does so by itself.',
  },
  tooManyUploads: {
    when: 'The account has as many unfinished uploads as it may.',
    remedy: 'Finish some, or end them with `DELETE /manage/v1/uploads/{upload_id}`.',
  },
  uploadDone: {
    when: 'An upload is to be ended that has become a video.',
    remedy: 'Delete the video instead.',
  },
  recordsGone: {
    when: 'Who watched a show is asked for after its records were removed (`AUDIENCE_RETENTION_DAYS`).',
    remedy: 'The report of the whole show is still there; its parts are not.',
  },
  lastPerson: {
    when: 'The last person of the account’s own side is to be removed.',
    remedy: 'Invite another one first.',
  },
  notFailed: {
    when: 'Something is to be tried again that has not failed.',
    remedy: 'Nothing to do: it is done, or still under way.',
  },
  tooManyResends: {
    when: 'As many deliveries of a webhook wait to be sent again as may.',
    remedy: 'Wait until they are sent, or ask for a shorter span.',
  },
  uploadLost: {
    when: 'What had come of an upload is lost, as after a disk was replaced.',
    remedy: 'Begin the upload anew.',
  },
  wrongProtocol: {
    when: 'A request about an upload names no version of tus, or another one.',
    remedy: 'Send `Tus-Resumable: 1.0.0`.',
  },
  tooLarge: {
    when: 'The body is over 64 KB, or the file larger than it may be.',
    remedy: 'Send less at once; the limit of a file stands with its operation.',
  },
  notJson: {
    when: 'The body is neither JSON nor, with a token, a form.',
    remedy: 'Send `Content-Type: application/json` and one JSON object.',
  },
  notImage: {
    when: 'The file is no picture of a type that is taken, or is cut.',
    remedy: 'Send PNG, JPEG, GIF or WebP, with its own `Content-Type`.',
  },
  notCaptions: {
    when: 'The file of captions has another type.',
    remedy: 'Send `Content-Type: text/vtt`, or `application/x-subrip`.',
  },
  notPiece: {
    when: 'A piece of an upload has another type.',
    remedy: 'Send `Content-Type: application/offset+octet-stream`.',
  },
  rateLimit: {
    when: 'The day’s calls of the watch records, or the tries to sign in, are used up.',
    remedy:
      'Wait for `Retry-After` seconds. All records at once are not under the daily limit: `GET /manage/v1/channels/{channel_id}/sessions.ndjson`.',
  },
  internal: {
    when: 'Our mistake.',
    remedy: 'Look for the `request_id` in the log of the service, and report it.',
  },
  unavailable: {
    when: 'Not now: the database, the disk or a limit says so.',
    remedy: 'Try again after `Retry-After` seconds; the message says what it waits for.',
  },
};
