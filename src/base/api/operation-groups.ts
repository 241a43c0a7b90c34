// What operations are about: the groups that /openapi.json and /docs show them in.

export interface OperationGroup {
  /** Of the tag, and of its page under /docs. */
  name: string;
  title: string;
  description: string;
  /** Which paths are of it; the last group that has one has it. */
  paths: RegExp;
}

/** In the order in which they are shown; what is about a channel is in the first unless it has one of its own. */
export const operationGroups: readonly OperationGroup[] = [
  {
    name: 'channels',
    title: 'Channels and pages',
    description: 'Channels, their publish keys and their viewing pages',
    paths: /\/(?:activities|channels|deleted-channels)\b/,
  },
  {
    name: 'live',
    title: 'While a show is on',
    description: 'What is on now, how the push does, who is here',
    paths: /\/(?:live|present|picture\.jpg)$/,
  },
  {
    name: 'chat',
    title: 'Chat',
    description: 'Read and moderate the chat of a channel, and speak as its host',
    paths: /\/chat\b/,
  },
  {
    name: 'shows',
    title: 'Shows and reports',
    description: 'What a show came to: figures minute by minute, where viewers were, who they were',
    paths: /\/shows\b|\/report$/,
  },
  {
    name: 'audience',
    title: 'Audience',
    description: 'Watch records and visitors of a channel: pages, exports, one viewer',
    paths:
      /\/(?:userRecords|(?:sessions|visitors)(?:\.csv|\.ndjson)?)$|\/viewers\/|\/viewer-secret\b/,
  },
  {
    name: 'videos',
    title: 'Videos and clips',
    description: 'Recorded videos, clips of them, and the files that are made of each',
    paths: /\/(?:videos|deleted-videos|clips|jobs)\b/,
  },
  {
    name: 'access',
    title: 'Who may watch',
    description:
      'Who may watch a channel or a video, who has registered, links that play, passes that are taken back',
    paths: /\/(?:access|access\/revoke|access\/codes|play-link|registrations(?:\.csv|\.ndjson)?)$/,
  },
  {
    name: 'uploads',
    title: 'Uploads',
    description: 'Files that become videos, sent by tus 1.0.0, which goes on after a cut',
    paths: /\/uploads\b/,
  },
  {
    name: 'events',
    title: 'Events',
    description: 'What happens, for systems that follow it',
    paths: /\/events\b/,
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    description: 'Addresses that are told of events, and what came of each delivery',
    paths: /\/webhooks\b/,
  },
  {
    name: 'people',
    title: 'People who sign in',
    description: 'Signing in to the console, one’s own sessions, the people of an account',
    paths: /^\/manage\/v1\/(?:sign-in|sign-out|links|me|people)\b/,
  },
  {
    name: 'account',
    title: 'Account and tokens',
    description: 'Tokens, managers, the account itself, what it stores, who did what, the nodes',
    paths: /\/(?:tokens|managers|account|storage|nodes|audit(?:\.csv)?)\b/,
  },
];

/** The group of a path; every path of an operation has one. */
export function groupOf(path: string): OperationGroup {
  const group = operationGroups.findLast(({ paths }) => paths.test(path));
  if (!group) throw new Error(`${path} is of no group of operations (operation-groups.ts)`);
  return group;
}
