// What waits for its turn: networks take turns, and in a network its connections do.

export interface Waiter {
  network: string;
  /** Its name, or itself. */
  connection: string | object;
}

export class FairQueue<T extends Waiter> {
  /** By network and connection; whose turn is next stands first. */
  private readonly networks = new Map<string, Map<Waiter['connection'], T[]>>();
  private waiting = 0;

  get size(): number {
    return this.waiting;
  }

  add(waiter: T): void {
    const { network, connection } = waiter;
    const connections = this.networks.get(network) ?? new Map<Waiter['connection'], T[]>();
    this.networks.set(network, connections);
    const line = connections.get(connection) ?? [];
    connections.set(connection, line);
    line.push(waiter);
    this.waiting += 1;
  }

  take(): T | undefined {
    const [first] = this.networks;
    if (!first) return undefined;
    const [network, connections] = first;
    type Line = [Waiter['connection'], T[]];
    const [[connection, line]] = connections as Iterable<Line> as [Line];
    const waiter = line.shift();
    this.waiting -= 1;
    connections.delete(connection);
    if (line.length > 0) connections.set(connection, line);
    this.networks.delete(network);
    if (connections.size > 0) this.networks.set(network, connections);
    return waiter;
  }
}
