// The sentences of the nodes: who is there, what each has, what ails.
import type { NodeState } from '../../../../base/nodes/node-state.ts';
import type { NodeProblem } from '../node-problems.ts';
import type { InEveryLanguage } from './in-every-language.ts';

const states = {
  there: 'running',
  draining: 'is stopping',
  silent: 'silent',
} satisfies Record<NodeState, string>;

const problems = {
  silent:
    '“{name}” has given no sign of life since {when}. What it had on air goes on elsewhere as soon as the encoders come back. If it was switched off for good, it leaves this list a week later.',
  not_linked:
    '“{name}” and the node that answers you have no link: chat, viewers and streams of one do not reach the other. Each must be reached at the NODE_URL of the other.',
  s3_away:
    '“{name}” does not reach S3: {count} pieces of recordings wait on its disk. Shows go on, and so do recordings while there is room.',
  s3_behind:
    '“{name}” puts recordings into S3 more slowly than they come: {count} pieces wait on its disk.',
  draining:
    '“{name}” is stopping: it takes nothing new, and its encoders and viewers are led away.',
} satisfies Record<NodeProblem['code'], string>;

const en = {
  nodes: {
    more: 'Each node takes any push and shows every channel. When one is gone, the others go on.',
    alone: 'This node is the only one so far',
    alone_more:
      'Start a second one on the same database and the same bucket: when this one is gone, it goes on.',
    guide: 'How several nodes work',
    column_node: 'Node',
    column_state: 'State',
    column_pushes: 'On air',
    column_viewers: 'Viewers',
    column_link: 'Way there and back',
    column_recordings: 'Recordings',
    column_since: 'Runs since',
    answers: 'answers you now',
    version: 'version {version}',
    more_channels: 'and {count} more',
    milliseconds: '{ms} ms',
    no_link: 'no link',
    own: 'this node',
    on_disk: 'on its disk',
    stored: 'in S3',
    on_their_way: '{count} on their way to S3',
    waiting: '{count} wait for S3',
    states,
    problems,
  },
};

export const nodesTexts: InEveryLanguage<typeof en> = {
  en,
  zh: {
    nodes: {
      more: '每个节点都可接收任意推流，并播放所有频道。某个节点离开后，其余节点会接着工作。',
      alone: '目前只有这一个节点',
      alone_more: '在同一数据库和同一存储桶上再启动一个节点：当前节点离开后，由它接着工作。',
      guide: '了解多节点如何工作',
      column_node: '节点',
      column_state: '状态',
      column_pushes: '直播中',
      column_viewers: '观众',
      column_link: '往返时间',
      column_recordings: '录像',
      column_since: '启动时间',
      answers: '正在为您应答',
      version: '版本 {version}',
      more_channels: '另有 {count} 个',
      milliseconds: '{ms} 毫秒',
      no_link: '未连接',
      own: '本节点',
      on_disk: '在其磁盘上',
      stored: '已在 S3 中',
      on_their_way: '{count} 段正在存入 S3',
      waiting: '{count} 段等待存入 S3',
      states: { there: '运行中', draining: '正在停止', silent: '无响应' },
      problems: {
        silent:
          '“{name}”自{when}起没有任何响应。编码器重新连接后，它的直播会在其他节点上继续。如果它已永久停用，一周后会从此列表中消失。',
        not_linked:
          '“{name}”与正在为您应答的节点之间没有连接：双方的聊天、观众和直播流无法互通。请确认双方都能访问对方的 NODE_URL。',
        s3_away:
          '“{name}”无法访问 S3：{count} 段录像在其磁盘上等待。直播不受影响，磁盘有空间时录像也会继续。',
        s3_behind: '“{name}”存入 S3 的速度跟不上录像：{count} 段录像在其磁盘上等待。',
        draining: '“{name}”正在停止：它不再接收新的推流，编码器和观众会被引到其他节点。',
      },
    },
  },
};
