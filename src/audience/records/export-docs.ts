// What `/openapi.json` says of the exports of a channel's audience.
import { docs } from '../../base/api/route.ts';
import {
  exportedSession,
  exportedSessionExample,
  exportedSessionLine,
  exportedSessionLineExample,
  exportedVisitor,
  exportedVisitorExample,
  exportedVisitorLine,
  exportedVisitorLineExample,
} from './exported-row.ts';

const csvNote =
  'UTF-8 with a byte order mark, lines as RFC 4180 has them. A text that a spreadsheet would take for a formula begins with an apostrophe; NDJSON has every text as it is.';
const ndjsonNote = 'One JSON object a line.';

const session = {
  answer: exportedSession,
  example: exportedSessionExample,
  answerHeaders: { 'Content-Disposition': 'the name of the file' },
};
const visitor = { ...session, answer: exportedVisitor, example: exportedVisitorExample };

export const exportDocs = {
  exportSessionsCsv: docs({
    ...session,
    summary: 'Export the watch records of a channel as CSV, oldest entry first',
    note: csvNote,
  }),
  exportVisitorsCsv: docs({
    ...visitor,
    summary: 'Export the visitors of a channel as CSV, by first entry',
    note: `${csvNote} Behind its own columns it has one for each field that anybody answered in a registration form, \`answers.NAME\`.`,
  }),
  exportSessionsNdjson: docs({
    ...session,
    answer: exportedSessionLine,
    example: exportedSessionLineExample,
    summary: 'Export the watch records of a channel as NDJSON, oldest entry first',
    note: `${ndjsonNote} \`npx footlight import sessions\` reads it.`,
  }),
  exportVisitorsNdjson: docs({
    ...visitor,
    answer: exportedVisitorLine,
    example: exportedVisitorLineExample,
    summary: 'Export the visitors of a channel as NDJSON, by first entry',
    note: ndjsonNote,
  }),
};
