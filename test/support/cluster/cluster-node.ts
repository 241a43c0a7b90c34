// One node of a cluster: a process of its own, with lines of its own to the database, to the store and from the other nodes.
import { rmSync } from 'node:fs';
import { temporaryFolder } from '../engines.ts';
import { type FaultLine, startFaultLine } from '../fault-line.ts';
import { freePort } from '../free-port.ts';
import { type ServiceProcess, startProcess } from '../service-process.ts';

export interface ClusterNodeOptions {
  name: string;
  databaseUrl: string;
  /** Of the store, past its own line. */
  storePort: number;
  settings: Record<string, string>;
}

export class ClusterNode {
  readonly name: string;
  readonly httpPort: number;
  readonly rtmpPort: number;
  readonly url: string;
  readonly lines: { database: FaultLine; store: FaultLine; links: FaultLine };

  private readonly settings: Record<string, string>;
  private dataDir = temporaryFolder();
  private process: ServiceProcess | undefined;
  /** How often it was started. */
  run = 0;
  isFrozen = false;
  /** What earlier runs have logged. */
  private logBefore = '';

  /** It does not run yet. */
  static async make({ name, databaseUrl, storePort, settings }: ClusterNodeOptions) {
    const [httpPort, rtmpPort] = [await freePort(), await freePort()];
    const database = new URL(databaseUrl);
    const lines = {
      database: await startFaultLine(Number(database.port)),
      store: await startFaultLine(storePort),
      links: await startFaultLine(httpPort),
    };
    database.port = String(lines.database.port);
    return new ClusterNode({
      ...{ name, httpPort, rtmpPort, lines },
      settings: {
        ...settings,
        ...{ NODE_NAME: name, NODE_URL: `http://127.0.0.1:${lines.links.port}` },
        ...{ PORT: String(httpPort), RTMP_PORT: String(rtmpPort), DATABASE_URL: database.href },
        S3_URL: `http://127.0.0.1:${lines.store.port}`,
      },
    });
  }

  private constructor(given: {
    name: string;
    httpPort: number;
    rtmpPort: number;
    lines: ClusterNode['lines'];
    settings: Record<string, string>;
  }) {
    this.name = given.name;
    this.httpPort = given.httpPort;
    this.rtmpPort = given.rtmpPort;
    this.lines = given.lines;
    this.settings = given.settings;
    this.url = `http://127.0.0.1:${given.httpPort}`;
  }

  get service(): ServiceProcess {
    if (!this.process) throw new Error(`${this.name} does not run`);
    return this.process;
  }

  get isUp(): boolean {
    return this.process?.isAlive() === true && !this.isFrozen;
  }

  /** `token` of the first account, which the first node to start has printed. */
  async start(token?: string): Promise<void> {
    const known = token ?? this.process?.token;
    this.logBefore = this.log();
    const settings = { ...this.settings, DATA_DIR: this.dataDir };
    this.run += 1;
    this.process = await startProcess(settings, known === undefined ? {} : { token: known });
  }

  async kill(): Promise<void> {
    this.isFrozen = false;
    if (this.process?.isAlive()) await this.process.kill();
  }

  /** SIGSTOP: it does nothing, and its connections stay. */
  freeze(): void {
    this.isFrozen = true;
    process.kill(this.service.pid, 'SIGSTOP');
  }

  goOn(): void {
    process.kill(this.service.pid, 'SIGCONT');
    this.isFrozen = false;
  }

  /** A machine with an empty disk. */
  loseDisk(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
    this.dataDir = temporaryFolder();
  }

  /** All lines are as they should be. */
  healLines(): void {
    for (const line of Object.values(this.lines)) line.set('through');
  }

  /** Of all its runs. */
  log(): string {
    return this.logBefore + (this.process?.log() ?? '');
  }

  async stop(): Promise<void> {
    await this.kill();
    for (const line of Object.values(this.lines)) await line.stop();
  }
}
