// What `bench ingest` says of its rounds: tables, ratios to nginx and verdicts.
import { type Figure, figure, printTable, ratio, shown } from './figures.ts';
import type { LiveServerName } from './live-servers.ts';

export interface IngestRound {
  server: LiveServerName;
  streams: number;
  /** Per stream. */
  cpuSecondsPerMinute: number;
  /** Resident with all streams, less what the idle server had. */
  mbPerStream: number;
  residentMb: number;
  idleMb: number;
  mbpsPerStream: number;
}

export interface AudienceRound {
  server: LiveServerName;
  clients: number;
  /** Per client. */
  cpuSecondsPerMinute: number;
  answersPerSecond: number;
  mbpsPerClient: number;
  /** Cores that the load process used: near 1 it set the pace. */
  loadUse: number;
}

const aims = {
  /** Times nginx, per stream-minute and per player-minute. */
  timesNginx: 1.2,
  mbPerStream: 6,
  viewerCpuSeconds: 0.03,
};

export class Report {
  private readonly ingest: IngestRound[] = [];
  private readonly players: AudienceRound[] = [];
  private readonly viewers: AudienceRound[] = [];

  addIngest(round: IngestRound): void {
    this.ingest.push(round);
  }

  addPlayers(round: AudienceRound): void {
    this.players.push(round);
  }

  addViewers(round: AudienceRound): void {
    this.viewers.push(round);
  }

  printIngest(streams: number): void {
    const rounds = this.ingest.filter((round) => round.streams === streams);
    console.log(`${streams} publishers`);
    const headings = [
      'CPU s/stream-minute',
      ...besides.map((peer) => `of ${peer}`),
      'MB/stream',
      'MB in all',
      'idle',
      'Mbps',
    ];
    printTable(
      ['server', ...headings],
      serversOf(rounds).map((server) => {
        const of = (key: keyof IngestRound) => figure(values(rounds, server, key));
        return [
          server,
          shown(of('cpuSecondsPerMinute'), 3),
          ...besides.map((peer) => optional(cpuBeside(rounds, server, peer))),
          shown(of('mbPerStream'), 2),
          shown(of('residentMb')),
          shown(of('idleMb')),
          shown(of('mbpsPerStream'), 2),
        ];
      }),
    );
  }

  printPlayers(): void {
    printAudience('RTMP players of one stream', this.players);
  }

  printViewers(): void {
    printAudience('low-latency HLS viewers of one stream', this.viewers);
  }

  printVerdicts(): void {
    for (const [streams, rounds] of this.byStreams()) {
      const cpu = cpuBeside(rounds, 'footlight', 'nginx');
      const mb = figure(values(rounds, 'footlight', 'mbPerStream'));
      console.log(verdict(`${streams} publishers, CPU in times of nginx`, cpu, aims.timesNginx));
      console.log(verdict(`${streams} publishers, MB a stream`, mb, aims.mbPerStream));
    }
    const players = cpuBeside(this.players, 'footlight', 'nginx');
    const viewers = figure(values(this.viewers, 'footlight', 'cpuSecondsPerMinute'));
    console.log(verdict('RTMP players, CPU in times of nginx', players, aims.timesNginx));
    console.log(verdict('HLS viewers, CPU s/viewer-minute', viewers, aims.viewerCpuSeconds));
    console.log('');
  }

  /** For the one line that programs read. */
  results(): object {
    const { players, viewers } = this;
    const ingest = Object.fromEntries(
      [...this.byStreams()].map(([streams, rounds]) => [
        streams,
        byServer(rounds, ['cpuSecondsPerMinute', 'mbPerStream', 'residentMb', 'idleMb']),
      ]),
    );
    const shownOf = ['cpuSecondsPerMinute', 'answersPerSecond', 'mbpsPerClient'] as const;
    return { ingest, players: byServer(players, shownOf), viewers: byServer(viewers, shownOf) };
  }

  private byStreams(): Map<number, IngestRound[]> {
    return Map.groupBy(this.ingest, ({ streams }) => streams);
  }
}

/** Either kind of round. */
interface ServerRound {
  server: LiveServerName;
  cpuSecondsPerMinute: number;
}

function printAudience(title: string, rounds: readonly AudienceRound[]): void {
  console.log(`${rounds[0]?.clients} ${title}`);
  const headings = [
    'CPU s/client-minute',
    ...besides.map((peer) => `of ${peer}`),
    'answers/s',
    'Mbps each',
    'cores of load',
  ];
  printTable(
    ['server', ...headings],
    serversOf(rounds).map((server) => {
      const of = (key: keyof AudienceRound) => figure(values(rounds, server, key));
      return [
        server,
        shown(of('cpuSecondsPerMinute'), 4),
        ...besides.map((peer) => optional(cpuBeside(rounds, server, peer))),
        shown(of('answersPerSecond')),
        shown(of('mbpsPerClient'), 2),
        shown(of('loadUse'), 2),
      ];
    }),
  );
}

function serversOf(rounds: readonly ServerRound[]): LiveServerName[] {
  return [...new Set(rounds.map(({ server }) => server))];
}

function values<R extends ServerRound>(
  rounds: readonly R[],
  server: LiveServerName,
  key: keyof R,
): number[] {
  return rounds.filter((round) => round.server === server).map((round) => Number(round[key]));
}

/** Whom the others are held against. */
const besides = ['nginx', 'before'] as const;

/** Undefined where the peer had no round. */
function cpuBeside(
  rounds: readonly ServerRound[],
  server: LiveServerName,
  peer: (typeof besides)[number],
): Figure | undefined {
  if (!serversOf(rounds).includes(peer)) return undefined;
  const cpu = (name: LiveServerName) => values(rounds, name, 'cpuSecondsPerMinute');
  return ratio(cpu(server), cpu(peer));
}

function byServer<R extends ServerRound>(rounds: readonly R[], keys: readonly (keyof R)[]) {
  return Object.fromEntries(
    serversOf(rounds).map((server) => [
      server,
      Object.fromEntries(keys.map((key) => [key, figure(values(rounds, server, key))])),
    ]),
  );
}

function optional(figure: Figure | undefined): string {
  return figure ? shown(figure, 2) : '';
}

function verdict(what: string, figure: Figure | undefined, aim: number): string {
  if (!figure) return `left out  ${what}`;
  const { median } = figure;
  return `${median <= aim ? 'met   ' : 'MISSED'}  ${what}: ${median.toFixed(3)}, aim at most ${aim}`;
}
