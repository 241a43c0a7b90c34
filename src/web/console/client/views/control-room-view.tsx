// The control room of a channel.
import type { Channel } from '../service-answers.ts';
import type { Answered } from '../use-answer.ts';

export function ControlRoomView(_: { id: number; answered: Answered<Channel> }) {
  return null;
}
