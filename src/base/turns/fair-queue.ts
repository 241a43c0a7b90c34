// A queue in which networks take turns, and in a network its connections.

export interface Waiter {
  network: string;
  /** Its name, or itself. */
  connection: string | object;
}

/** Not `FairLines`, which has one line for each name: here connections take turns within each network. */
export class FairQueue<T extends Waiter> {
  /** By network and connection; whose turn is next stands first. */
  private readonly networks = new Map<string, Map<Waiter['connection'], Set<T>>>();
  private waiting = 0;

  get size(): number {
    return this.waiting;
  }

  add(waiter: T): void {
    const { network, connection } = waiter;
    const connections = this.networks.get(network) ?? new Map<Waiter['connection'], Set<T>>();
    this.networks.set(network, connections);
    const line = connections.get(connection) ?? new Set<T>();
    connections.set(connection, line);
    line.add(waiter);
    this.waiting += 1;
  }

  take(): T | undefined {
    const [first] = this.networks;
    if (!first) return undefined;
    const [network, connections] = first;
    type Line = [Waiter['connection'], Set<T>];
    const [[connection, line]] = connections as Iterable<Line> as [Line];
    const [waiter] = line as Iterable<T> as [T];
    this.remove(waiter);
    if (connections.delete(connection)) connections.set(connection, line);
    if (this.networks.delete(network)) this.networks.set(network, connections);
    return waiter;
  }

  /** Leaves its line, wherever it stands. */
  remove(waiter: T): void {
    const { network, connection } = waiter;
    const connections = this.networks.get(network);
    const line = connections?.get(connection);
    if (!connections || !line?.delete(waiter)) return;
    this.waiting -= 1;
    if (line.size === 0) connections.delete(connection);
    if (connections.size === 0) this.networks.delete(network);
  }
}
