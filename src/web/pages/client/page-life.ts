// A page is hidden, frozen, left and comes back; networks go and return: what the connection does then.
import type { AudienceConnection } from './audience-connection.ts';
import type { WatchReports } from './watch-reports.ts';

/** Playing is left to the browser: it pauses a muted page that is hidden, and plays on when it is seen again. */
export function followPageLife(
  connection: Pick<AudienceConnection, 'connect' | 'leave' | 'retry' | 'replace' | 'used'>,
  reports: Pick<WatchReports, 'report'>,
): void {
  const comeBack = () => connection.connect();
  const leave = () => {
    reports.report();
    connection.leave();
  };
  document.addEventListener('visibilitychange', () => {
    // A phone may end a hidden page without another word.
    if (document.visibilityState === 'hidden') reports.report();
    else comeBack();
  });
  for (const event of ['pointerdown', 'keydown'])
    document.addEventListener(event, () => connection.used());
  // Firefox cuts the connection of a page that is left for another before the page hears that it goes.
  window.addEventListener('beforeunload', () => reports.report());
  // With an open connection browsers would not keep the page for the way back, nor let it sleep in peace.
  window.addEventListener('pagehide', leave);
  document.addEventListener('freeze', leave);
  window.addEventListener('pageshow', comeBack);
  document.addEventListener('resume', comeBack);
  window.addEventListener('online', () => connection.retry());
  window.addEventListener('offline', () => {
    // It may still get through: browsers are not always right.
    reports.report();
    connection.replace();
  });
}
