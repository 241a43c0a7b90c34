// What tries say of a target, in the database: its failures, how long it rests, why it is sent nothing more.
import type { Sql } from '../../base/db/sql.ts';
import { addNotice } from './delivery-row-store.ts';
import { backOffMs } from './target-rest.ts';
import { type DisabledReason, noticeTypes } from './webhook.ts';
import { webhookLimits } from './webhook-limits.ts';

/** What came of one try. */
export interface TryOutcome {
  isDelivered: boolean;
  /** It said that it is gone. */
  isGone: boolean;
  /** 0 where there was no answer. */
  status: number;
  began_at: number;
  took_ms: number;
  /** As JSON: pairs of name and value. */
  request_headers: string;
  answer_headers: string;
  answer_body: string;
  problem: string;
  /** How long it asked to be left alone: it is for so long at least. */
  restMs: number | undefined;
}

/** How it stands before a try. */
export interface Target {
  failures: number;
  failing_since: number | null;
}

/** How it stands after one. */
export interface NotedTarget {
  failures: number;
  try_after: number;
  /** Why it is sent nothing more, from now on. */
  disabled: DisabledReason;
}

/** A success ends all rests of the target; failures of all its channels in a row make it rest as a whole. */
export async function noteTarget(
  sql: Sql,
  given: {
    webhook_id: number;
    target: Target;
    outcome: TryOutcome;
    /** How many do not wait any more. */
    ended: number;
    random: number;
    now: number;
  },
): Promise<NotedTarget> {
  const { webhook_id, target, outcome, ended, random, now } = given;
  if (outcome.isDelivered) {
    await sql.run(
      `UPDATE webhooks SET failures = 0, failing_since = NULL, try_after = 0, last_success_at = $2,
         pending = pending - $3 WHERE id = $1`,
      [webhook_id, now, ended],
    );
    return { failures: 0, try_after: 0, disabled: '' };
  }
  const failures = target.failures + 1;
  const failing_since = target.failing_since ?? outcome.began_at;
  const beyond = failures - webhookLimits.failuresMax + 1;
  const rest = Math.max(outcome.restMs ?? 0, beyond > 0 ? backOffMs(beyond, random) : 0);
  const try_after = rest === 0 ? 0 : now + rest;
  await sql.run(
    `UPDATE webhooks SET failures = $2, failing_since = $3, try_after = $4, pending = pending - $5
     WHERE id = $1`,
    [webhook_id, failures, failing_since, try_after, ended],
  );
  const hasFailedLong = now - failing_since >= webhookLimits.disableMs;
  const disabled = outcome.isGone ? 'gone' : hasFailedLong ? 'failing' : '';
  if (disabled !== '') await disable(sql, { webhook_id, reason: disabled, now });
  return { failures, try_after, disabled };
}

const disabledSentences = {
  gone: 'The target answered 410, that it is gone: nothing more is sent to it until it is enabled again',
  failing: `No try has succeeded for ${webhookLimits.disableMs / 86_400_000} days: nothing more is sent to it until it is enabled again`,
};

async function disable(
  sql: Sql,
  given: { webhook_id: number; reason: keyof typeof disabledSentences; now: number },
): Promise<void> {
  const { webhook_id, reason, now } = given;
  const changed = await sql.run(
    'UPDATE webhooks SET enabled = 0, disabled_reason = $2 WHERE id = $1 AND enabled = 1',
    [webhook_id, reason],
  );
  if (changed === 0) return;
  const problem = disabledSentences[reason];
  await addNotice(sql, { webhook_id, type: noticeTypes.disabled, problem, now });
}
