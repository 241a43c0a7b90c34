// What the service answers, by the schemas of its own features: a field is declared there alone.
import type * as z from 'zod';
import type { chatDocs } from '../../../audience/chat/chat-docs.ts';
import type { audienceListDocs } from '../../../audience/records/audience-list-docs.ts';
import type { reportDocs } from '../../../audience/reports/report-docs.ts';
import type { viewerVisitsDocs } from '../../../audience/reports/viewer-visits-docs.ts';
import type { channelListDocs } from '../../../control/channel-list-docs.ts';
import type { liveDocs } from '../../../control/live-docs.ts';
import type { nodeDocs } from '../../../control/node-docs.ts';
import type { presentDocs } from '../../../control/present-docs.ts';
import type { accountDocs } from '../../../library/account/account-docs.ts';
import type { jobDocs } from '../../../library/account/job-docs.ts';
import type { managerDocs } from '../../../library/account/manager-docs.ts';
import type { tokenDocs } from '../../../library/account/token-docs.ts';
import type { accessCodeDocs } from '../../../library/admission/access-code-docs.ts';
import type { admissionDocs } from '../../../library/admission/admission-docs.ts';
import type { registrationDocs } from '../../../library/admission/registration-docs.ts';
import type { auditDocs } from '../../../library/audit/audit-docs.ts';
import type { captionsDocs } from '../../../library/captions/captions-docs.ts';
import type { channelDocs } from '../../../library/channels/channel-docs.ts';
import type { PageValues, pageTable } from '../../../library/channels/page.ts';
import type { deletedChannelDocs } from '../../../library/deletion/deleted-channel-docs.ts';
import type { deletedVideoDocs } from '../../../library/deletion/deleted-video-docs.ts';
import type { imageDocs } from '../../../library/images/image-docs.ts';
import type { meDocs } from '../../../library/people/me-docs.ts';
import type { peopleDocs } from '../../../library/people/people-docs.ts';
import type { signInDocs } from '../../../library/people/sign-in-docs.ts';
import type { managedVideoDocs } from '../../../library/videos/managed-video-docs.ts';
import type { videoDocs } from '../../../library/videos/video-docs.ts';
import type { webhookDocs } from '../../../library/webhooks/webhook-docs.ts';
import type { clipDocs } from '../../../stream/clips/clip-docs.ts';
import type { uploadDocs } from '../../../stream/uploads/upload-docs.ts';
import type { previewDocs } from '../preview-docs.ts';

type AnswerOf<Docs> = Docs extends { answer: infer A extends z.ZodType } ? z.output<A> : never;

type PageTable = ReturnType<typeof pageTable>;

/** The settings of a viewing page as the interface writes them: `start_time` in the service's zone. */
export type ShownPage = { [K in keyof PageTable]: z.output<PageTable[K]['answer']> };

/** Those that a person may set. */
export type PageSettings = Pick<ShownPage, keyof PageValues>;

type ChannelDocs = ReturnType<typeof channelDocs>;
export type Channel = Omit<AnswerOf<ChannelDocs['getChannel']>, 'page'> & { page: ShownPage };

export type PagePreview = Omit<AnswerOf<ReturnType<typeof previewDocs>['previewPage']>, 'page'> & {
  page: ShownPage;
};

export type Access = AnswerOf<typeof admissionDocs.getChannelAccess>;
/** Of a channel or of a video. */
export type PlayLink = Pick<
  AnswerOf<typeof admissionDocs.makeChannelPlayLink>,
  'pass_id' | 'expires_at' | 'embed_url' | 'hls_play_addr' | 'rtmp_play_addr'
> & { watch_url: string | { pc: string; mobile: string } };
export type MadeCodes = AnswerOf<typeof accessCodeDocs.makeChannelCodes>;
export type AccessCodeList = AnswerOf<typeof accessCodeDocs.listChannelCodes>;
export type AccessCode = AccessCodeList['codes'][number];
export type RegistrationList = AnswerOf<typeof registrationDocs.listChannelRegistrations>;
export type Registration = RegistrationList['registrations'][number];

export type CaptionsList = AnswerOf<typeof captionsDocs.listCaptions>;
export type Captions = CaptionsList['captions'][number];

export type UploadedImage = AnswerOf<typeof imageDocs.uploadImage>;

export type Chat = AnswerOf<typeof chatDocs.getChat>;
export type ChatLine = Chat['messages'][number];

export type Me = AnswerOf<typeof meDocs.getMe>;
export type LookedLink = AnswerOf<typeof signInDocs.lookAtLink>;

export type ChannelLive = AnswerOf<typeof liveDocs.getChannelLive>;
export type Push = NonNullable<ChannelLive['push']>;
export type PushAdvice = ChannelLive['advice'][number];

export type ChannelList = AnswerOf<typeof channelListDocs.listChannelStates>;
export type ListedChannel = ChannelList['channels'][number];

export type Present = AnswerOf<typeof presentDocs.listPresent>;
export type PresentViewer = Present['viewers'][number];

/** Whether they run the account, not only their own shows. */
export function mayManage({ scopes }: Me): boolean {
  return scopes.includes('manage');
}

export type People = AnswerOf<typeof peopleDocs.listPeople>;
export type Person = People['people'][number];
export type Invitation = People['invitations'][number];
export type OneTimeLink = AnswerOf<typeof peopleDocs.invitePerson>;
export type MySessions = AnswerOf<typeof meDocs.listMySessions>;

export type Managers = AnswerOf<typeof managerDocs.listManagers>;
export type Manager = Managers['managers'][number];
export type Tokens = AnswerOf<typeof tokenDocs.listTokens>;
export type Token = Tokens['tokens'][number];
export type MadeToken = AnswerOf<typeof tokenDocs.createToken>;

export type Webhooks = AnswerOf<typeof webhookDocs.listWebhooks>;
export type Webhook = Webhooks['webhooks'][number];
export type MadeWebhook = AnswerOf<typeof webhookDocs.createWebhook>;
export type Deliveries = AnswerOf<typeof webhookDocs.listDeliveries>;
export type Delivery = Deliveries['deliveries'][number];
export type WholeDelivery = AnswerOf<typeof webhookDocs.getDelivery>;

export type Account = AnswerOf<typeof accountDocs.getAccount>;
export type Storage = AnswerOf<typeof accountDocs.getStorage>;
export type Jobs = AnswerOf<typeof jobDocs.listJobs>;
export type Job = Jobs['jobs'][number];

export type NodeList = AnswerOf<typeof nodeDocs.listNodes>;
export type ListedNode = NodeList['nodes'][number];

export type Audit = AnswerOf<typeof auditDocs.listAudit>;
export type AuditEntry = Audit['entries'][number];

export type ManagedVideos = AnswerOf<typeof managedVideoDocs.listManagedVideos>;
export type ManagedVideo = ManagedVideos['videos'][number];
export type VideoFile = ManagedVideo['files'][number];

export type DeletedChannels = AnswerOf<
  ReturnType<typeof deletedChannelDocs>['listDeletedChannels']
>;
export type DeletedVideos = AnswerOf<typeof deletedVideoDocs.listDeletedVideos>;

export type UploadList = AnswerOf<typeof uploadDocs.listUploads>;
export type Upload = UploadList['uploads'][number];

export type MadeClip = AnswerOf<typeof clipDocs.makeClip>;

export type Report = AnswerOf<typeof reportDocs.getReport>;
export type ShowReport = Report['shows'][number];
export type ShowList = AnswerOf<typeof reportDocs.listShows>;
export type ListedShow = ShowList['shows'][number];
export type ShowAudience = AnswerOf<typeof reportDocs.getShowAudience>;
export type ShowPerson = ShowAudience['people'][number];
export type ShowGroup = ShowAudience['places'][number];

export type Video = AnswerOf<typeof videoDocs.getVideo>;

export type VisitorList = AnswerOf<typeof audienceListDocs.listVisitors>;
export type ListedVisitor = VisitorList['visitors'][number];
export type SessionList = AnswerOf<typeof audienceListDocs.listSessions>;
export type ListedSession = SessionList['sessions'][number];

export type ViewerVisits = AnswerOf<typeof viewerVisitsDocs.getViewer>;
