// What `/openapi.json` says of one viewer's visits.
import { docs } from '../../base/api/route.ts';
import { watchRecordExample } from '../records/session.ts';
import { visitorExample } from '../records/visitor.ts';
import { viewerVisitsAnswer } from './viewer-visits.ts';

export const viewerVisitsDocs = {
  getViewer: docs({
    summary: 'Get one viewer of a channel: every visit, what was watched when, what they said',
    note: 'The newest of each. `POST /manage/v1/viewers/export` has everything.',
    answer: viewerVisitsAnswer,
    example: {
      viewer: visitorExample,
      shows: [{ id: 40, begin: '2026-05-01 19:29:58', end: '2026-05-01 20:31:30' }],
      sessions: [
        {
          ...watchRecordExample,
          entered: '2026-05-01 19:29:44',
          left: '2026-05-01 20:31:54',
          watched: [{ show: 40, from_ms: 4_707, to_ms: 3_525_784 }],
        },
      ],
      chat: [{ id: 7, text: 'Hello', sent_at: '2026-05-01 19:31:02' }],
      shares: ['2026-05-01 19:40:12'],
      silences: [],
      registrations: [
        {
          video_id: null,
          answers: { company: 'ACME' },
          registered_at: '2026-05-01 19:29:40',
          ended_at: '',
        },
      ],
    },
    errors: ['noViewer'],
  }),
};
