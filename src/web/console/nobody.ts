// Who looks at a watch page from within the console: nobody, so that no session is made.
import type { PageViewer } from '../pages/page-viewer.ts';

/** Without a ticket a page does not connect, as a robot's does not. */
export const nobody: PageViewer = { ticket: '', token: '', cookie: undefined };
