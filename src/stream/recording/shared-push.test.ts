import { expect, test } from 'bun:test';
import type { Lease, RecordedBefore } from '../live/push-lease.ts';
import { SharedPush } from './shared-push.ts';

function leaseOf(epoch: number, recorded?: Partial<RecordedBefore>): Lease {
  const nothing = { recording: 'push', pushedMs: 0, durationMs: 0, segments: 0 };
  const before = {
    ...{ startedAt: 0, mediaAt: 0, discontinuities: 0, renewedMark: 0 },
    ...{ node: 'before', isHandedOver: false, show: undefined },
  };
  return {
    ...{ channel_id: 1, push: 'push', epoch, sequenceMark: 0 },
    before: recorded && { ...before, recorded: { ...nothing, ...recorded } },
  };
}

test('who begins a push records under its name; what follows in the same lease has a name of its own', () => {
  const push = new SharedPush(leaseOf(4));
  expect(push.next(100)).toMatchObject({
    folder: 'push',
    stint: { recording: 'push', push: 'push', epoch: 4, sequence: 100 },
  });
  const next = push.next(200);
  expect(next).toMatchObject({ folder: 'push-4-200', stint: { recording: 'push-4-200' } });
  expect(next.before).toBeUndefined();
});

test('who goes on adds to the same recording, in a folder of its own', () => {
  const push = new SharedPush(leaseOf(5, { recording: 'push-4-200', pushedMs: 9, durationMs: 7 }));
  expect(push.before.pushedMs).toBe(9);
  expect(push.next(300)).toMatchObject({
    folder: 'push-4-200-e5',
    stint: { recording: 'push-4-200', epoch: 5, sequence: 300 },
    before: { durationMs: 7 },
  });
  expect(push.next(400).folder).toBe('push-5-400');
});

test('where what there is was closed, who goes on begins another', () => {
  const push = new SharedPush(leaseOf(5, { recording: undefined }));
  expect(push.next(300)).toMatchObject({
    folder: 'push-5-300',
    stint: { recording: 'push-5-300' },
  });
});
