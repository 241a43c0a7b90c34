// What the visitors of a channel have filled into its forms, and into those of its videos.
import { read } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { readStoredAnswers } from '../../library/admission/registration.ts';
import type { Answers } from '../../library/admission/registration-form.ts';
import { answersOfViewers } from '../../library/admission/registration-store.ts';

interface Found {
  viewer_id: string;
  answers: string;
  registered_at: number;
}

/** By viewer; who has filled in several forms is shown what they answered last under each name. */
export const visitorAnswers = read(
  'audience.visitorAnswers',
  ofAccount,
  async (
    sql,
    asked: { account_id: number; channel_id: number; viewers: readonly string[] },
  ): Promise<[viewer_id: string, answers: Answers][]> => {
    const { channel_id, viewers } = asked;
    const rows = await answersOfViewers.all<Found>(
      sql,
      viewers.map((viewer_id) => ({ channel_id, viewer_id })),
    );
    const byViewer = new Map<string, Answers>();
    for (const row of rows.toSorted((a, b) => a.registered_at - b.registered_at)) {
      const { viewer_id, answers } = row;
      byViewer.set(viewer_id, { ...byViewer.get(viewer_id), ...readStoredAnswers(answers) });
    }
    return [...byViewer];
  },
);
