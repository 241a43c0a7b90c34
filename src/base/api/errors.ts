// The one catalogue of a caller's mistakes and of our own refusals, as an HTTP answer shows them.

export const catalogue = {
  invalid: { status: 400, code: 400001, message: 'Invalid parameters' },
  missing: { status: 400, code: 400002, message: 'Missing parameters' },
  unauthorized: { status: 401, code: 401001, message: 'Unauthorized' },
  wrongPassword: {
    status: 401,
    code: 401010,
    message: 'The user name or the password is wrong',
  },
  noAccess: { status: 403, code: 403001, message: 'Access not allowed' },
  noPermission: { status: 403, code: 403002, message: 'Permission not allowed' },
  foreignPage: {
    status: 403,
    code: 403010,
    message: 'The request does not come from a page of this service',
  },
  noPath: { status: 404, code: 404000, message: 'No such path' },
  noUser: { status: 404, code: 404001, message: 'No such user' },
  noChannel: { status: 404, code: 404002, message: 'No such channel' },
  noVideo: { status: 404, code: 404003, message: 'No such video' },
  noShow: { status: 404, code: 404004, message: 'No such show' },
  noMessage: { status: 404, code: 404005, message: 'No such message' },
  notOnAir: { status: 404, code: 404006, message: 'No picture: the channel is not on air' },
  noViewer: { status: 404, code: 404007, message: 'No such viewer' },
  noLink: {
    status: 404,
    code: 404010,
    message: 'The link was used, is too old or is not known',
  },
  noPerson: { status: 404, code: 404011, message: 'No such person' },
  noSession: { status: 404, code: 404012, message: 'No such session' },
  noToken: { status: 404, code: 404013, message: 'No such token' },
  noJob: { status: 404, code: 404014, message: 'No such job' },
  noUpload: { status: 404, code: 404015, message: 'No such upload' },
  noWebhook: { status: 404, code: 404016, message: 'No such webhook' },
  noDelivery: { status: 404, code: 404017, message: 'No such delivery' },
  noCaptions: {
    status: 404,
    code: 404018,
    message: 'The video has no captions in that language',
  },
  onAir: {
    status: 409,
    code: 409001,
    message: 'The channel is on air: end the push first',
  },
  noMethod: { status: 405, code: 405001, message: 'Method not allowed' },
  notRecorded: {
    status: 409,
    code: 409021,
    message: 'Nothing of the channel is being recorded now',
  },
  nothingToCut: { status: 409, code: 409022, message: 'Nothing is recorded of that stretch' },
  noRoom: {
    status: 409,
    code: 409023,
    message:
      'The recordings, captions and pictures of the account take all the disk space it has (ACCOUNT_DISK)',
  },
  wrongOffset: {
    status: 409,
    code: 409024,
    message: 'Upload-Offset is not where the upload goes on',
  },
  tooManyUploads: {
    status: 409,
    code: 409025,
    message: 'The account has as many unfinished uploads as it may',
  },
  uploadDone: {
    status: 409,
    code: 409026,
    message: 'The upload has become a video, which can be deleted',
  },
  recordsGone: {
    status: 409,
    code: 409031,
    message:
      'Who watched that show is not known any more: its records were kept for as long as they are (AUDIENCE_RETENTION_DAYS). Its whole report is there',
  },
  lastPerson: {
    status: 409,
    code: 409010,
    message: "The last person of the account's own side cannot be removed",
  },
  notFailed: {
    status: 409,
    code: 409011,
    message: 'Only what has failed can be tried again',
  },
  tooManyResends: {
    status: 409,
    code: 409012,
    message: 'As many deliveries wait to be sent again as may',
  },
  uploadLost: {
    status: 410,
    code: 410001,
    message: 'What had come of the upload is lost; begin anew',
  },
  wrongProtocol: {
    status: 412,
    code: 412001,
    message: 'The request must name a version of the protocol that is spoken here',
  },
  tooLarge: { status: 413, code: 413001, message: 'Too large' },
  notJson: { status: 415, code: 415001, message: 'Not JSON' },
  notImage: { status: 415, code: 415002, message: 'Not a picture' },
  notPiece: { status: 415, code: 415003, message: 'Not a piece of an upload' },
  notCaptions: { status: 415, code: 415004, message: 'Not captions' },
  rateLimit: { status: 429, code: 429001, message: 'Rate limit reached' },
  internal: { status: 500, code: 500002, message: 'Internal error' },
  unavailable: { status: 503, code: 503001, message: 'Not available now' },
} as const;

export type ErrorName = keyof typeof catalogue;

export interface FieldProblem {
  name: string;
  message: string;
}

interface ErrorDetail {
  message?: string;
  fields?: FieldProblem[];
  headers?: Record<string, string>;
  cause?: unknown;
  isCounted?: boolean;
}

/** Thrown anywhere below the HTTP edge; the edge alone turns it into an answer. */
export class ApiError extends Error {
  readonly kind: ErrorName;
  readonly fields: FieldProblem[];
  readonly headers: Record<string, string>;
  /** Where refusals are counted: a line in the log for each would let callers fill it. */
  readonly isCounted: boolean;

  constructor(kind: ErrorName, detail: ErrorDetail = {}) {
    super(detail.message ?? catalogue[kind].message, { cause: detail.cause });
    this.kind = kind;
    this.fields = detail.fields ?? [];
    this.headers = detail.headers ?? {};
    this.isCounted = detail.isCounted ?? false;
  }

  get status(): number {
    return catalogue[this.kind].status;
  }

  /** Existing clients of the interface parse exactly this shape. */
  body(requestId: string) {
    return {
      errors: {
        code: catalogue[this.kind].code,
        message: this.message,
        fields: this.fields,
        request_id: requestId,
      },
    };
  }
}

/** One field that cannot be understood: the message says what came and what was wanted. */
export function invalidField(name: string, message: string): ApiError {
  return new ApiError('invalid', { fields: [{ name, message }] });
}

/** The database, the disk or a deadline says not now; the caller may try again. */
export function unavailable(message: string, cause?: unknown): ApiError {
  return new ApiError('unavailable', { message, cause, headers: { 'Retry-After': '2' } });
}

/** More is asked for than is done at once, which has been counted; the caller may try again. */
export function busy(message: string): ApiError {
  return new ApiError('unavailable', { message, isCounted: true, headers: { 'Retry-After': '2' } });
}

/** Of a value that is quoted: levels, and items of each. More would not be seen. */
const quotedDepth = 4;
const quotedItems = 30;

/** How a value is quoted in a message: short, and never a whole body. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(outline(value, quotedDepth)) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** `JSON.stringify` compares each value with all that it lies in: 64 KB of arrays in arrays would take it two seconds. */
function outline(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  const within = (one: unknown) => outline(one, depth - 1);
  if (Array.isArray(value)) return value.slice(0, quotedItems).map(within);
  const entries = Object.entries(value).slice(0, quotedItems);
  return Object.fromEntries(entries.map(([name, one]) => [name, within(one)]));
}
