// What `/openapi.json` says of who has registered.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs } from '../../base/api/route.ts';
import { answerCells } from './registration.ts';

export const answersAnswer = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .meta({
    description:
      'what they answered, by the name that each field had then; a tick is true or false, and what was left empty is not there',
  });

const registration = z
  .object({
    id: z.string().meta({ description: 'by which it is taken back' }),
    viewer_id: z.string().meta({ description: 'viewer id' }),
    answers: answersAnswer,
    registered_at: z.string().meta({ description: 'when they filled the form in last' }),
    ended_at: z.string().meta({ description: 'when it was taken back; else empty' }),
    visit_times: z
      .int()
      .meta({ description: 'visits to the channel; 0 while they have not come in' }),
  })
  .meta({ title: 'Registration' });

const example: z.output<typeof registration> = {
  id: '2pKx0b8VYw5nQdR7tLzC3m',
  viewer_id: 'v-7ayt3mkq5w2hdcbn4zxe',
  answers: { name: 'Li Wei', company: 'ACME', news: true },
  registered_at: '2026-05-01 19:20:00',
  ended_at: '',
  visit_times: 1,
};

const listed = {
  answer: z
    .object({
      registrations: z.array(registration),
      meta: z.object(metaFields),
      links: linksAnswer,
    })
    .meta({ title: 'RegistrationList' }),
  example: {
    registrations: [example],
    meta: { total: 1, page: 1, current: 1 },
    links: {
      next_url: null,
      end_url: 'https://live.example.com/manage/v1/channels/1024/registrations?p=1',
    },
  },
};

const file = {
  answer: registration,
  example,
  answerHeaders: { 'Content-Disposition': 'the name of the file' },
};
const { answers, ...own } = example;
/** A column for each answer, behind its own. */
const csv = {
  ...file,
  answer: registration.omit({ answers: true }).meta({ title: 'RegistrationRow' }),
  example: { ...own, ...answerCells(answers) },
};
const csvNote =
  'UTF-8 with a byte order mark, lines as RFC 4180 has them, with a column `answers.NAME` for each field that anybody answered. A text that a spreadsheet would take for a formula begins with an apostrophe; NDJSON has every text as it is.';
const ndjsonNote = 'One JSON object a line.';

export const registrationDocs = {
  listChannelRegistrations: docs({
    summary: 'List who has registered for a channel, newest first',
    ...listed,
  }),
  exportChannelRegistrationsCsv: docs({
    summary: 'Export who has registered for a channel as CSV, oldest first',
    note: csvNote,
    ...csv,
  }),
  exportChannelRegistrationsNdjson: docs({
    summary: 'Export who has registered for a channel as NDJSON, oldest first',
    note: ndjsonNote,
    ...file,
  }),
  listVideoRegistrations: docs({
    summary: 'List who has registered for a video, newest first',
    ...listed,
  }),
  exportVideoRegistrationsCsv: docs({
    summary: 'Export who has registered for a video as CSV, oldest first',
    note: csvNote,
    ...csv,
  }),
  exportVideoRegistrationsNdjson: docs({
    summary: 'Export who has registered for a video as NDJSON, oldest first',
    note: ndjsonNote,
    ...file,
  }),
};
